import { onTestFinished } from "vitest";
import { connect, createTestService, startTestService, type TestService } from "../src/testing/index.ts";
import { serve } from "../src/server/index.ts";
import { SEED } from "./_setup.ts";

/** Each way to have a service in a test. */
export const WAYS = ["in process", "started", "connected", "connected with an instance of its own"] as const;
export type Way = (typeof WAYS)[number];

/** A service that starts from `SEED` and ends with the test. */
export async function serviceBy(way: Way): Promise<TestService> {
  const svc = await make(way);
  onTestFinished(() => svc.close());
  return svc;
}

async function make(way: Way): Promise<TestService> {
  const options = { seed: SEED as never };
  if (way === "in process") return createTestService(options);
  if (way === "started") return startTestService(options);
  const server = await serve({ ...options, port: 0, store: "memory", providers: "simulated" });
  onTestFinished(() => server.close());
  const to = { url: server.url, controlKey: server.control_key! };
  return connect({ ...to, isolate: way === "connected with an instance of its own" });
}
