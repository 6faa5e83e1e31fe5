import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { InstanceRecord } from "../store/records.ts";
import { Conflict, type Store } from "../store/store.ts";

const BATCH = 250;
const MAX_JOBS = 100;

/** Work that goes on after it was answered. */
export interface Job {
  readonly id: string;
  readonly status: "running" | "done" | "failed";
  readonly done: number;
  readonly total: number;
  readonly error?: string;
}

/** The jobs of this process, the latest of them. */
export class Jobs {
  readonly #store: Store;
  readonly #closing: AbortSignal;
  readonly #onBug: (error: unknown) => void;
  readonly #jobs = new Map<string, Job>();

  constructor(store: Store, closing: AbortSignal, onBug: (error: unknown) => void) {
    this.#store = store;
    this.#closing = closing;
    this.#onBug = onBug;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** Adds users in small batches, so that other requests are answered meanwhile. */
  generateUsers(instance: InstanceRecord, { users, seed }: { users: number; seed: number }, now: Date): Job {
    const job: Job = { id: `job_${randomBytes(12).toString("base64url")}`, status: "running", done: 0, total: users };
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size >= MAX_JOBS && oldest !== undefined) this.#jobs.delete(oldest);
    this.#jobs.set(job.id, job);
    void this.#generate(job, instance, seed, now).catch((error: unknown) => this.#fail(job.id, error));
    return job;
  }

  async #generate({ id, total }: Job, instance: InstanceRecord, seed: number, now: Date): Promise<void> {
    const { createGenerator } = await import("./generate.ts");
    const generate = await createGenerator(instance, seed, now);
    for (let done = 0; done < total; done = Math.min(done + BATCH, total)) {
      if (this.#closing.aborted) throw new Error("the server was stopped");
      await this.#store.add(generate(done, Math.min(BATCH, total - done)));
      this.#update(id, { done: Math.min(done + BATCH, total) });
      await turn();
    }
    this.#update(id, { status: "done" });
  }

  #fail(id: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#update(id, { status: "failed", error: reason });
    if (!(error instanceof Conflict) && !this.#closing.aborted) this.#onBug(error);
  }

  #update(id: string, change: Partial<Job>): void {
    const job = this.#jobs.get(id);
    if (job) this.#jobs.set(id, { ...job, ...change });
  }
}
