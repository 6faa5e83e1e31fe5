// Below the faces: the same test runs on each store.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { temporaryDirectory } from "../_files.ts";
import { admin, createDatabase } from "../postgres/_postgres.ts";
import { patient } from "../postgres/_store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { ADA, decodePart, START, type Service } from "../_setup.ts";
import { contents } from "../_provider.ts";
import { outcome, setupWith, STORES, useEmptyStore, VERIFIED_AT } from "../sign-in/_linking.ts";

const VICTIM = "victim@acme.test";
const emails = (email: string): object[] => [{ email, primary: true, verified: true }];
const user = {
  id: ADA,
  email: VICTIM,
  name: "Mallory",
  password_digest: "digest-of-mallory",
  identities: [{ provider: "github", uid: "666", email_verified: false }],
  sessions: [
    { provider: "password", ip_address: "192.0.2.66" },
    { provider: "github", ip_address: "127.0.0.1" },
    { provider: "google", ip_address: "127.0.0.1" },
    { provider: "password", ip_address: "192.0.2.67", revoked_at: VERIFIED_AT },
  ],
};
const personas = [
  {
    id: "mallory",
    name: "Mallory",
    email: "m@evil.test",
    github: { id: 666, login: "m", emails: emails("m@evil.test") },
  },
  {
    id: "victim",
    name: "Victim",
    email: VICTIM,
    google: { sub: "1", email_verified: true },
    github: { id: 1, login: "v", emails: emails(VICTIM) },
  },
];

describe.each(STORES)("Somebody who registered another person's address first (%s)", (name) => {
  const emptyStore = useEmptyStore(name);
  /** Open sessions, passwords and accounts that are not the victim's. */
  async function waysIn(service: Service, victims: readonly string[]): Promise<number> {
    const { users, sessions } = await contents(service);
    const open = sessions.filter((own) => own.user_id === ADA && own.revoked_at === null);
    const accounts = await service.store.identitiesOf(service.acme.id, ADA);
    const { password_digest } = users.find((view) => view.user.id === ADA)!.user;
    return (
      open.filter((own) => !victims.includes(own.session_id)).length +
      accounts.filter((own) => own.uid === "666").length +
      (password_digest === null ? 0 : 1)
    );
  }

  it.each(["google", "github"] as const)("T19: has no way in once its owner signs in with %s", async (provider) => {
    const service = await setupWith([user], personas, await emptyStore());
    const token = await service.tokenFor("github", "mallory");
    expect(decodePart(token, 1)["sub"]).toBe(ADA);
    expect(await waysIn(service, [])).toBe(5);

    expect(await outcome(service, provider, "victim")).toBe(ADA);
    const { sessions } = await contents(service);
    const own = sessions.filter((session) => session.logged_in_at === START.toISOString() && !session.revoked_at);
    expect(own.map((session) => [session.user_id, session.provider])).toEqual([[ADA, provider]]);
    expect(
      await waysIn(
        service,
        own.map(({ session_id }) => session_id),
      ),
    ).toBe(0);
    expect(sessions.find((session) => session.ip_address === "192.0.2.67")!.revoked_at).toBe(VERIFIED_AT);

    const next = await outcome(service, "github", "mallory");
    expect([next === ADA, next.length]).toEqual([false, ADA.length]);
    expect(await outcome(service, provider, "victim")).toBe(ADA);
    expect(
      await waysIn(
        service,
        own.map(({ session_id }) => session_id),
      ),
    ).toBe(0);

    // Nothing can end a token but its hour, or the deletion of its user.
    const client = service.client(service.acme);
    expect((await client.tokens.verify(token)).id).toBe(ADA);
    service.clock.advance(3600);
    await expect(client.tokens.verify(token)).rejects.toMatchObject({ code: "token_expired" });
  });

  it("T19: has no way in if both sign in at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      const service = await setupWith([user], personas, await emptyStore());
      const everybody = ["mallory", "victim", "mallory", "victim"] as const;
      const subs = await Promise.all(everybody.map((as, n) => outcome(service, n === 1 ? "google" : "github", as)));
      expect([subs[1], subs[3]]).toEqual([ADA, ADA]);
      const { sessions } = await contents(service);
      const own = sessions.filter(
        (session) => session.user_id === ADA && session.email === VICTIM && !session.revoked_at,
      );
      expect(own.map((session) => session.provider).toSorted()).toEqual(["github", "google"]);
      expect(
        await waysIn(
          service,
          own.map(({ session_id }) => session_id),
        ),
      ).toBe(0);
      expect(await outcome(service, "github", "mallory")).not.toBe(ADA);
    }
  });
});

describe("T19: A link that clears what nobody proved is one write", () => {
  async function link(store: Store): Promise<void> {
    onTestFinished(() => store.close());
    expect(await outcome(await setupWith([user], personas, store), "google", "victim")).toBe(ADA);
  }

  it("of the journal", async () => {
    const directory = temporaryDirectory();
    await link(await openFileStore(join(directory, "db.json"), { warn: () => {} }));
    const [last = ""] = readFileSync(join(directory, "db.journal"), "utf8").trimEnd().split("\n").slice(-1);
    const { changes } = JSON.parse(last) as { changes: [verb: string, table: string][] };
    expect(changes.map(([verb, table]) => `${verb} ${table}`)).toEqual([
      "delete states",
      "delete identities",
      "put sessions",
      "put sessions",
      "put sessions",
      "put users",
      "put identities",
      "put sessions",
    ]);
  });

  it("of PostgreSQL", async () => {
    const url = await createDatabase();
    await link(await openPostgresStore(patient(url), { warn: () => {} }));
    const rows = await admin(url)`
      SELECT DISTINCT xmin::text FROM svc.users WHERE email_verified_at IS NOT NULL
      UNION SELECT DISTINCT xmin::text FROM svc.identities WHERE uid = '1'
      UNION SELECT DISTINCT xmin::text FROM svc.sessions WHERE revoked_at >= '2026-06-01'`;
    expect(rows).toHaveLength(1);
  });
});
