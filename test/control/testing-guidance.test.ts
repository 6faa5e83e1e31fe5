import { expect, it } from "vitest";
import type { TestService } from "../../src/testing/index.ts";
import { serviceBy } from "../_services.ts";

/** What a developer types wrongly, and the part of the message that says what to type. */
const MISTAKES: readonly [mistake: string, call: (svc: TestService) => Promise<unknown>, told: string][] = [
  ["an account's name misspelt", (svc) => svc.signIn({ as: "adda" }), "did you mean ada?"],
  [
    "the id of a session's record",
    (svc) => svc.sessions.revoke("0d7e"),
    "Pass data.session_id, which begins with svc_session_.",
  ],
  ["an account in place of a user", (svc) => svc.users.get("ada"), "is neither a user's id nor an e-mail address"],
  ["times for one", (svc) => svc.scenarios.next({ times: 2 } as never), "Write scenarios.add({ times: … })"],
  [
    "a provider beside match",
    (svc) => svc.scenarios.add({ provider: "github" } as never),
    "scenarios.add({ match: { provider: … } })",
  ],
  ["a wait that is too long", (svc) => svc.flows.waitFor({}, "60s"), "waits for at most 25s, not 60s"],
  ["the application by svc.fetch", (svc) => svc.fetch("http://localhost:3000/me"), "or by svc.signInTo(app)"],
  [
    "an application that does not run",
    (svc) => svc.signInTo("http://127.0.0.1:9"),
    "http://127.0.0.1:9 does not answer. Start the application",
  ],
  [
    "a handler without an answer",
    (svc) => svc.signInTo((() => undefined) as never),
    "The application returned no Response for /sign-in.",
  ],
];

it.each(MISTAKES)("%s is answered with what to write", async (_, call, told) => {
  const svc = await serviceBy("in process");
  await expect(call(svc)).rejects.toThrow(told);
});
