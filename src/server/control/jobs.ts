import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
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

export type Jobs = ReturnType<typeof createJobs>;

/** The latest jobs: those of this process up to the last batch, those of other processes as they were last published. */
export function createJobs({ store, realNow, closing, onBug }: JobDeps) {
  const own = new LRUCache<string, Job>({ max: MAX_JOBS });

  async function published(): Promise<PublishedJob[]> {
    return (await store.settings(PREFIX)).map(({ value }) => value as unknown as PublishedJob);
  }

  /** Remembers the job in this process, and stores it for the others. */
  async function publish(job: Job): Promise<void> {
    own.set(job.id, job);
    await changeSetting(store, PREFIX + job.id, () => ({ ...job, told_at: realNow().getTime() }));
  }

  async function generate(job: Job, instance: InstanceRecord, seed: number, now: Date): Promise<void> {
    const { createGenerator } = await import("./generate.ts");
    const makeUp = createGenerator(instance, seed, now);
    let publishedAt = performance.now();
    for (let { done, total } = job; done < total;) {
      if (closing.aborted) throw new Error("the server was stopped");
      const count = Math.min(BATCH, total - done);
      await store.add(makeUp(done, count)).catch((error: unknown) => {
        throw error instanceof AlreadyExists
          ? new Conflict(`users that seed ${seed} generates already exist. Use another seed, such as ${seed + 1}.`)
          : error;
      });
      done += count;
      const progress: Job = { ...job, done };
      own.set(job.id, progress);
      if (performance.now() - publishedAt > PUBLISH_EVERY_MS) {
        await publish(progress);
        publishedAt = performance.now();
      }
      await turn();
    }
    await publish({ ...job, done: job.total, status: "done" });
  }

  function fail(job: Job, error: unknown): void {
    if (!(error instanceof Conflict) && !closing.aborted) onBug(error);
    const failed: Job = { ...job, ...own.get(job.id), status: "failed", error: (error as Error).message };
    // If the store itself is the reason, at least this process knows.
    void publish(failed).catch(() => undefined);
  }

  return {
    async find(id: string): Promise<Job | undefined> {
      const known = own.get(id);
      if (known) return known;
      const found = (await published()).find((job) => job.id === id);
      if (!found) return undefined;
      const { told_at: publishedAt, ...job } = found;
      const isLost = job.status === "running" && realNow().getTime() - publishedAt > LOST_AFTER_MS;
      return isLost ? { ...job, status: "failed", error: "the server that ran it has stopped" } : job;
    },

    /** Starts to add users, in small batches between which other requests are answered. */
    async generateUsers(
      instance: InstanceRecord,
      { users, seed }: { users: number; seed: number },
      now: Date,
    ): Promise<Job> {
      const job: Job = { id: `job_${randomBytes(12).toString("base64url")}`, status: "running", done: 0, total: users };
      const oldest = (await published()).toSorted((a, b) => b.told_at - a.told_at).slice(MAX_JOBS - 1);
      for (const { id } of oldest) await deleteSetting(store, PREFIX + id);
      await publish(job);
      void generate(job, instance, seed, now).catch((error: unknown) => fail(job, error));
      return job;
    },
  };
}
