import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { AnswerOf } from "../../wire/control/routes.ts";
import type { InstanceRecord } from "../store/records.ts";
import { changeSetting } from "../store/settings.ts";
import { Conflict, type Store } from "../store/store.ts";

const PREFIX = "job/";
const BATCH = 250;
const MAX_JOBS = 100;
/** How often the progress is written for other processes; each time they look for what has changed. */
const TELL_EVERY_MS = 1000;
/** A job that tells nothing for so long has lost its process. */
const LOST_AFTER_MS = 60_000;

/** Work that goes on after it was answered. */
type Job = Readonly<AnswerOf<"GET /jobs/:id">>;

interface JobDeps {
  readonly store: Store;
  realNow(): Date;
  /** Aborts when the server closes, which ends the jobs. */
  readonly closing: AbortSignal;
  onBug(error: unknown): void;
}

/** A job as it is kept with the store. */
interface Told extends Job {
  /** When it was written, in milliseconds of real time. */
  readonly told_at: number;
}

/** The latest jobs. Those of this process are known to the last batch, those of others on the store as they told of them. */
export class Jobs {
  readonly #deps: JobDeps;
  readonly #own = new Map<string, Job>();

  constructor(deps: JobDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<Job | undefined> {
    const own = this.#own.get(id);
    if (own) return own;
    const told = (await this.#told()).find((job) => job.id === id);
    if (!told) return undefined;
    const { told_at, ...job } = told;
    const isLost = job.status === "running" && this.#deps.realNow().getTime() - told_at > LOST_AFTER_MS;
    return isLost ? { ...job, status: "failed", error: "the server that ran it has stopped" } : job;
  }

  /** Adds users in small batches, so that other requests are answered meanwhile. */
  async generateUsers(
    instance: InstanceRecord,
    { users, seed }: { users: number; seed: number },
    now: Date,
  ): Promise<Job> {
    const job: Job = { id: `job_${randomBytes(12).toString("base64url")}`, status: "running", done: 0, total: users };
    await this.#forgetOldest();
    await this.#tell(job);
    void this.#generate(job, instance, seed, now).catch((error: unknown) => this.#fail(job.id, error));
    return job;
  }

  async #generate(job: Job, instance: InstanceRecord, seed: number, now: Date): Promise<void> {
    const { id, total } = job;
    const { createGenerator } = await import("./generate.ts");
    const generate = await createGenerator(instance, seed, now);
    let told = performance.now();
    for (let done = 0; done < total; done = Math.min(done + BATCH, total)) {
      if (this.#deps.closing.aborted) throw new Error("the server was stopped");
      await this.#deps.store.add(generate(done, Math.min(BATCH, total - done)));
      const progress: Job = { ...job, done: Math.min(done + BATCH, total) };
      this.#own.set(id, progress);
      if (performance.now() - told > TELL_EVERY_MS) {
        await this.#tell(progress);
        told = performance.now();
      }
      await turn();
    }
    await this.#tell({ ...job, done: total, status: "done" });
  }

  #fail(id: string, error: unknown): void {
    if (!(error instanceof Conflict) && !this.#deps.closing.aborted) this.#deps.onBug(error);
    const job: Job = { ...this.#own.get(id)!, status: "failed", error: (error as Error).message };
    // Where the store itself is the reason, this process at least says so.
    void this.#tell(job).catch(() => undefined);
  }

  /** Takes it over here, and keeps it with the store, where every process finds it. */
  async #tell(job: Job): Promise<void> {
    this.#own.set(job.id, job);
    const told: Told = { ...job, told_at: this.#deps.realNow().getTime() };
    await changeSetting(this.#deps.store, PREFIX + job.id, () => ({ ...told }));
  }

  async #told(): Promise<Told[]> {
    return (await this.#deps.store.settings(PREFIX)).map(({ value }) => value as unknown as Told);
  }

  async #forgetOldest(): Promise<void> {
    const oldest = (await this.#told()).toSorted((a, b) => b.told_at - a.told_at).slice(MAX_JOBS - 1);
    for (const { id } of oldest) {
      this.#own.delete(id);
      await changeSetting(this.#deps.store, PREFIX + id, () => undefined);
    }
    // A reset forgets what was told, and not these.
    for (const id of [...this.#own.keys()].slice(0, -MAX_JOBS)) this.#own.delete(id);
  }
}
