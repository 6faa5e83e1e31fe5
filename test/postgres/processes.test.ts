// Below the faces: another process writes between a decision and its write.

import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type UserRecord } from "../../src/server/store/records.ts";
import { StoreNotEmpty, type SignInLookup } from "../../src/server/store/store.ts";
import { A, arrival, contentOf, id, identity, people, records, session, sessionId, user } from "../store/_records.ts";
import { ROOT } from "../_paths.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer, open, patient } from "./_store.ts";

awaitServer();

/** A statement that runs while this process is blocked. */
function executeNow(url: string, text: string): void {
  const script = `import postgres from "postgres";
    const [url, text] = process.argv.slice(1);
    const sql = postgres(url);
    await sql.unsafe(text);
    await sql.end();`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script, url, text], { cwd: ROOT });
}

describe("Several processes on one database", () => {
  it("that start together fill it once", async () => {
    const url = await createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const outcomes = await Promise.allSettled(stores.map((store) => store.seed(people())));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(reasons.every((reason) => reason instanceof StoreNotEmpty)).toBe(true);
    const [first, ...others] = await Promise.all(stores.map(contentOf));
    expect(others).toEqual([first, first]);
  });

  it("answer 503 for an instance that another one has replaced", async () => {
    const url = await createDatabase();
    const store = await open(url);
    await store.seed(people());
    await (await open(url)).replace(records({ instances: [{ ...people().instances[0]!, id: id(0xc) }] }));
    await expect(store.completeSignIn(arrival({ uid: "new" }))).rejects.toThrow(
      /its content was replaced\. Restart svc\./,
    );
  });

  it.each<[string, string, (found: SignInLookup[], active: (string | undefined)[], user: UserRecord) => void]>([
    [
      "deletes the user",
      `DELETE FROM svc.users WHERE id = '${id(1)}'`,
      (found, _, who) => {
        expect(found).toEqual([{ sameEmail: expect.anything() as object }, {}]);
        expect(who.id).not.toBe(id(1));
      },
    ],
    [
      "links another account of the same provider",
      `INSERT INTO svc.identities (id, instance_id, user_id, provider, uid, email, email_verified, created_at, updated_at)
       SELECT 'another', instance_id, id, 'twitter', 'other', email, true, now(), now() FROM svc.users WHERE id = '${id(1)}'`,
      (found) => expect(found.map((each) => each.sameEmail?.identities.length)).toEqual([2, 3]),
    ],
    [
      "gives the address to the identity",
      `UPDATE svc.identities SET provider = 'twitter', uid = 'new' WHERE id = '${id(11)}'`,
      (found) =>
        expect(found).toEqual([{ sameEmail: expect.anything() as object }, { known: expect.anything() as object }]),
    ],
    [
      "revokes the session",
      `UPDATE svc.sessions SET revoked_at = now() WHERE provider = 'twitter'`,
      (_, active) => expect(active).toEqual([sessionId(29), undefined]),
    ],
  ])("decide again if another one %s between decision and write", async (_, text, check) => {
    const url = await createDatabase();
    const store = await open(patient(url));
    const { users: seeded, sessions, ...others } = people();
    const own = session(29, seeded[0]!, { provider: "twitter" });
    await store.seed({ ...others, users: seeded, sessions: [...sessions, own] });
    const plain = arrival({ uid: "new", provider: "twitter", email: "ada@acme.test" });
    const found: SignInLookup[] = [];
    const active: (string | undefined)[] = [];
    const outcome = await store.completeSignIn({
      ...plain,
      resolveUser(lookup) {
        found.push(lookup);
        if (found.length === 1) executeNow(url, text);
        return plain.resolveUser(lookup);
      },
      openSession(who, before) {
        active.push(before?.session_id);
        return plain.openSession(who, before);
      },
    });
    check(found, active, outcome.user);
    expect(await store.findUser(A, outcome.user.id)).toMatchObject({ user: outcome.user });
    expect(await store.find("sessions", { instance_id: A, id: outcome.session.session_id })).toEqual(outcome.session);
  });

  it("remove what was added to the user between decision and write", async () => {
    const url = await createDatabase();
    const store = await open(patient(url));
    await store.seed(people());
    const plain = arrival({ uid: "new", provider: "twitter", email: "ada@acme.test", clears: true });
    let decisions = 0;
    const { session: opened } = await store.completeSignIn({
      ...plain,
      resolveUser(lookup) {
        if (++decisions === 1)
          executeNow(
            url,
            `INSERT INTO svc.identities (id, instance_id, user_id, provider, uid, email, email_verified, created_at, updated_at)
             SELECT 'another', instance_id, id, 'github', 'other', email, true, now(), now() FROM svc.users WHERE id = '${id(1)}'`,
          );
        else if (decisions === 2)
          executeNow(url, `UPDATE svc.sessions SET revoked_at = NULL WHERE session_id = '${sessionId(22)}'`);
        return plain.resolveUser(lookup);
      },
    });
    expect(decisions).toBe(2);
    expect((await store.identitiesOf(A, id(1))).map(({ uid }) => uid)).toEqual(["new"]);
    const { sessions } = await contentOf(store);
    const active = sessions.filter((row) => row.user_id === id(1) && row.revoked_at === null);
    expect(active.map((row) => row.session_id)).toEqual([opened.session_id]);
  });

  it("leave nothing open to an account that signs in at one while another removes it", async () => {
    const url = await createDatabase();
    const stores = await Promise.all([open(patient(url)), open(patient(url))]);
    await stores[0]!.seed(people());
    const link = { uid: "new", provider: "twitter" as const, email: "ada@acme.test", clears: true };
    const known = { uid: "ada", email: "mallory@evil.test" };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        stores[n % 2]!.completeSignIn(arrival(n === 20 ? link : { ...known, ip_address: `192.0.2.${n}` })),
      ),
    );
    const { sessions } = await contentOf(stores[0]!);
    const active = sessions.filter((row) => row.user_id === id(1) && row.revoked_at === null);
    expect(active.map((row) => row.session_id)).toEqual([outcomes[20]!.session.session_id]);
    expect((await stores[1]!.identitiesOf(A, id(1))).map(({ uid }) => uid)).toEqual(["new"]);
  });

  it("keep a person's rows consistent if two of them decide at once", async () => {
    const url = await createDatabase();
    const [one, two] = [await open(patient(url)), await open(patient(url))];
    await one.seed(records({ users: [user(1)], identities: [identity(2, user(1))] }));
    const person = { uid: "2", email: user(1).email, provider: "github" as const };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : two).completeSignIn(arrival({ ...person, time: n }))),
    );
    expect(new Set(outcomes.map((outcome) => outcome.user.id))).toEqual(new Set([id(1)]));
    expect(new Set(outcomes.map((outcome) => outcome.session.session_id)).size).toBe(1);
    expect((await one.findUser(A, id(1)))?.providers).toEqual(["google", "github"]);
  });
});
