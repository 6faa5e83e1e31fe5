import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createTestService } from "../../src/testing/index.ts";
import { CONTROL_KEY, FRONT, setup } from "../_setup.ts";

const MOST_BYTES = 4 << 20;

it("Events that are not read take a few MiB at most, however large each is", async () => {
  const { fetch } = await setup({ control: true });
  const headers = { authorization: `Bearer ${CONTROL_KEY}` };
  const events = await fetch(`${FRONT}/__svc/v1/events?kind=flow`, { headers });
  const reader = events.body!.getReader();
  await reader.read();
  // One sign-in with so many steps that each event takes some 20 kB.
  const callback = `${FRONT}/oauth/google/callback?state=${"0".repeat(64)}&error=${"e".repeat(300)}`;
  for (let n = 0; n < 400; n++) await fetch(callback);
  let [sum, largest] = [0, 0];
  while (sum < MOST_BYTES) {
    const length = (await reader.read()).value!.byteLength;
    sum += length;
    largest = Math.max(largest, length);
  }
  expect(largest).toBeLessThan(MOST_BYTES + 100_000);
  await reader.cancel();
});

it("Many readers of events at a time are not reported as a leak", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  await using svc = await createTestService();
  const headers = { authorization: `Bearer ${svc.controlKey}` };
  for (let n = 0; n < 12; n++) await (await svc.fetch("/__svc/v1/events", { headers })).body!.getReader().read();
  await setImmediate();
  expect(warnings).toEqual([]);
});
