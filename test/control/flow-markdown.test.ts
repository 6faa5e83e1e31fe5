// Below the faces: a hostile text in every field of a sign-in, which no request can put there.

import { expect, it } from "vitest";
import { flowMarkdown } from "../../src/wire/control/flows.ts";

it("A sign-in as Markdown has nothing outside its block of code, whatever a stranger's texts contain", () => {
  const hostile = "````\n# Title\u2028@everyone <img src=x> ```";
  const step = { name: "begin", at: "2026-01-01T00:00:00.000Z", ms: 1, sent: { login_hint: hostile }, answered: null };
  const data = {
    instance: null,
    provider: "github" as const,
    client_id: null,
    as: hostile,
    result: "error" as const,
    error: "bad_request",
    reason: hostile,
    asked_by: null,
    requested_outcome: null,
    user_id: null,
    redirect_uri: null,
    browser: null,
    scenario: null,
    started_at: step.at,
    process: "p",
    steps: [{ ...step, reason: hostile }],
    considered: [],
  };
  const lines = flowMarkdown({ id: "f", resource: "flow", data }, hostile).split("\n");
  expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual(["`````text", "`````", ""]);
  expect(lines.slice(1, -2).filter((line) => /^\s{0,3}(?:#|`{5})/.test(line))).toEqual([]);
});
