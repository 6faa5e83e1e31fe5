import { expect, it } from "vitest";
import { CONTROL_KEY, setup } from "../_setup.ts";

const BOUNDS = "must lie between 1970-01-01T00:00:00Z and 9999-12-31T00:00:00Z";

it.each<[path: string, body: object, error: string | undefined]>([
  ["set", { at: "9999-12-31T00:00:00Z" }, undefined],
  ["set", { at: "1970-01-01T00:00:00Z" }, undefined],
  ["set", { at: "9999-12-31T23:59:59Z" }, `at: ${BOUNDS}`],
  ["freeze", { at: "1969-12-31T23:59:59Z" }, `at: ${BOUNDS}`],
  ["advance", { to: "9999-12-31T00:00:01Z" }, `to: ${BOUNDS}`],
  ["advance", { by: "3000000d" }, "by: goes beyond 9999-12-31T00:00:00Z"],
  ["set", { at: "+275760-09-13T00:00:00Z" }, "at: must be a date and time such as 2026-01-31T12:00:00Z"],
])("POST /clock/%s with %j accepts the first and last instant, and names them otherwise", async (path, body, error) => {
  const service = await setup({ control: true });
  const response = await service.fetch(`/__svc/v1/clock/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: string };
  expect([response.status, answer.error]).toEqual(
    error === undefined ? [200, undefined] : [400, expect.stringContaining(error)],
  );
  expect(answer.error ?? "").not.toContain("years");
});
