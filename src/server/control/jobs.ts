import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { AnswerOf } from "../../wire/control/types.ts";
import type { InstanceRecord } from "../store/records.ts";
import { changeSetting, deleteSetting } from "../store/settings.ts";
import { AlreadyExists, Conflict, type Store } from "../store/store.ts";

const PREFIX = "job/";
const BATCH = 250;
const MAX_JOBS = 100;
/** How often progress is published to other processes. Each time they read all settings again. */
const PUBLISH_EVERY_MS = 1000;
/** A running job that has not been published for this long is lost: its process has stopped. */
const LOST_AFTER_MS = 60_000;

type Job = Readonly<AnswerOf<"GET /jobs/:id">>;

interface JobDeps {
  readonly store: Store;
  realNow(): Date;
  /** Aborts when the server closes, which ends the jobs. */
  readonly closing: AbortSignal;
  onBug(error: unknown): void;
}

interface PublishedJob extends Job {
  /** When it was published, in milliseconds of real time. Stores of earlier versions have this name. */
  readonly told_at: number;
}

/** The latest jobs: those of this process up to the last batch, those of other processes as they were last published. */
export class Jobs {
  readonly #deps: JobDeps;
  readonly #own = new Map<string, Job>();

  constructor(deps: JobDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<Job | undefined> {
    const own = this.#own.get(id);
    if (own) return own;
    const published = (await this.#published()).find((job) => job.id === id);
    if (!published) return undefined;
    const { told_at: publishedAt, ...job } = published;
    const isLost = job.status === "running" && this.#deps.realNow().getTime() - publishedAt > LOST_AFTER_MS;
    return isLost ? { ...job, status: "failed", error: "the server that ran it has stopped" } : job;
  }

  /** Starts to add users, in small batches between which other requests are answered. */
  async generateUsers(
    instance: InstanceRecord,
    { users, seed }: { users: number; seed: number },
    now: Date,
  ): Promise<Job> {
    const job: Job = { id: `job_${randomBytes(12).toString("base64url")}`, status: "running", done: 0, total: users };
    await this.#deleteOldest();
    await this.#publish(job);
    void this.#generate(job, instance, seed, now).catch((error: unknown) => this.#fail(job.id, error));
    return job;
  }

  async #generate(job: Job, instance: InstanceRecord, seed: number, now: Date): Promise<void> {
    const { id, total } = job;
    const { createGenerator } = await import("./generate.ts");
    const generate = createGenerator(instance, seed, now);
    let publishedAt = performance.now();
    for (let done = 0; done < total; done = Math.min(done + BATCH, total)) {
      if (this.#deps.closing.aborted) throw new Error("the server was stopped");
      const records = generate(done, Math.min(BATCH, total - done));
      await this.#deps.store.add(records).catch((error: unknown) => {
        throw error instanceof AlreadyExists
          ? new Conflict(`users that seed ${seed} generates already exist. Use another seed, such as ${seed + 1}.`)
          : error;
      });
      const progress: Job = { ...job, done: Math.min(done + BATCH, total) };
      this.#own.set(id, progress);
      if (performance.now() - publishedAt > PUBLISH_EVERY_MS) {
        await this.#publish(progress);
        publishedAt = performance.now();
      }
      await turn();
    }
    await this.#publish({ ...job, done: total, status: "done" });
  }

  #fail(id: string, error: unknown): void {
    if (!(error instanceof Conflict) && !this.#deps.closing.aborted) this.#deps.onBug(error);
    const job: Job = { ...this.#own.get(id)!, status: "failed", error: (error as Error).message };
    // If the store itself is the reason, at least this process knows.
    void this.#publish(job).catch(() => undefined);
  }

  /** Remembers the job in this process, and stores it for the others. */
  async #publish(job: Job): Promise<void> {
    this.#own.set(job.id, job);
    const published: PublishedJob = { ...job, told_at: this.#deps.realNow().getTime() };
    await changeSetting(this.#deps.store, PREFIX + job.id, () => ({ ...published }));
  }

  async #published(): Promise<PublishedJob[]> {
    return (await this.#deps.store.settings(PREFIX)).map(({ value }) => value as unknown as PublishedJob);
  }

  async #deleteOldest(): Promise<void> {
    const oldest = (await this.#published()).toSorted((a, b) => b.told_at - a.told_at).slice(MAX_JOBS - 1);
    for (const { id } of oldest) {
      this.#own.delete(id);
      await deleteSetting(this.#deps.store, PREFIX + id);
    }
    // A reset removes published jobs, but not these.
    for (const id of [...this.#own.keys()].slice(0, -MAX_JOBS)) this.#own.delete(id);
  }
}
