import { describe, expect, it } from "vitest";
import { answer, type Answered } from "../_answers.ts";
import { everything, RECORDS, verifying } from "../_attacks.ts";
import { FRONT, setup, NOBODY } from "../_setup.ts";
import { claimsOf, type Instance, sign } from "../_tokens.ts";

const VERIFY = "/api/v1/tokens/verify";

type Keyed = [
  endpoint: string,
  own: "user" | "session" | "publishable_key",
  make: (id: string, instance: Instance) => [string, RequestInit?],
];

const KEYED: Keyed[] = [
  ["GET users/:id", "user", (id) => [`/api/v1/users/${id}`]],
  ["GET users", "user", (id) => [`/api/v1/users?after=${id}`]],
  ["GET users/search", "user", (id) => [`/api/v1/users/search?query=id:${id}`]],
  ["GET sessions/:id", "session", (id) => [`/api/v1/sessions/${id}`]],
  ["GET sessions", "session", (id) => [`/api/v1/sessions?after=${id}`]],
  ["GET sessions/search", "user", (id) => [`/api/v1/sessions/search?query=user_id:${id}`]],
  ["GET instances/search", "publishable_key", (id) => [`/api/v1/instances/search?query=publishable_key:${id}`]],
  [
    "POST tokens/verify",
    "user",
    (id, instance) => [VERIFY, verifying(sign(instance.secret_key, claimsOf(instance, { sub: id })))],
  ],
  // Last, because it deletes what the others look for.
  ["DELETE users/:id", "user", (id) => [`/api/v1/users/${id}`, { method: "DELETE" }]],
];

describe("T14: An instance's key reads nothing of another instance", () => {
  describe.each([
    ["acme", "globex"],
    ["globex", "acme"],
  ] as const)("with %s's key and %s's ids", (mine, theirs) => {
    it.each(KEYED)("%s: another instance's id gets the same bytes as a missing one", async (_, own, make) => {
      const service = await setup();
      const [me, them] = [service[mine], service[theirs]];
      const foreign = [
        [RECORDS[theirs].user, NOBODY],
        [RECORDS[theirs].session, `svc_session_${NOBODY}`],
        [RECORDS[theirs].session.replace("svc_session_", ""), NOBODY],
        [them.id, NOBODY],
        [them.app_id, NOBODY],
        [them.publishable_key, "pk_nobody_0123456789"],
        [them.secret_key, `sk_${"x".repeat(40)}`],
        [them.subdomain, "nobody"],
      ] as const;
      const before = await everything(service, them);
      for (const [id, missing] of foreign) {
        for (const host of [FRONT, service.addresses.instanceUrl(me)]) {
          const send = async (name: string): Promise<Answered> => {
            const [path, init] = make(name, me);
            const response = await service.as(me, host + path, init);
            return [response.status, await response.text()];
          };
          const answered = await send(id);
          expect(answered).toEqual(await send(missing));
          const secrets = [...RECORDS[theirs].texts, them.id, them.app_id, them.secret_key, them.publishable_key];
          expect(secrets.filter((text) => String(answered[1]).includes(text))).toEqual([]);
        }
      }
      expect(await everything(service, them)).toBe(before);
      const [path, init] = make(own === "publishable_key" ? me.publishable_key : RECORDS[mine][own], me);
      expect((await service.as(me, path, init)).status).toBe(200);
    });

    it.each(KEYED)("%s: the key is rejected at the other instance's host", async (_, own, make) => {
      const service = await setup();
      const [me, them] = [service[mine], service[theirs]];
      for (const whose of [mine, theirs]) {
        const id = own === "publishable_key" ? service[whose].publishable_key : RECORDS[whose][own];
        const [path, init] = make(id, me);
        const answered = await answer(await service.as(me, service.addresses.instanceUrl(them) + path, init));
        expect(answered).toEqual([401, { error: "Unauthorized" }]);
      }
    });
  });
});
