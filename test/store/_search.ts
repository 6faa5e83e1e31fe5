import { describe, expect, it } from "vitest";
import { parseQuery } from "../../src/wire/search/query.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/search/fields.ts";
import { A, arrival, id, sessionId, at, user, records, people } from "./_records.ts";
import type { Subject } from "./_subject.ts";

/** The contract of every store for searches. */
export function testSearch(subject: Subject): void {
  const { users, sessions, userIds } = subject;

  describe("A search", () => {
    it.each([
      ["email:ada@acme.test", [1]],
      ["email:ADA@ACME.TEST", [1]],
      ["email:ａｄａ@acme.test", [1]],
      ["email:ada@acme", []],
      ["email:*@acme.test", [2, 1]],
      ["name:*b*", [2]],
      ["name:gra*", [3]],
      ["name:*", [3, 2, 1]],
      ["name:a*e", []],
      ["email:ada* email:grace*", [3, 1]],
      ["email:*@acme.test name:ada*", [1]],
      ["email:ada* name:grace*", []],
      ["-email:ada*", [3, 2]],
      ["-email:ada* -email:grace*", [2]],
      ["avatar_url:null", [2, 1]],
      ["-avatar_url:null", [3]],
      ["-avatar_url:*x*", [3, 2, 1]],
      ["email_verified_at:null", [3, 2]],
      ["email_verified_at>2026-01-01", [1]],
      ["-email_verified_at:2026-06-01", [3, 2]],
      ["created_at:2026-06-01", [3, 2, 1]],
      ["created_at:2026-05-31", []],
      ["created_at>2026-06-01", [3, 2, 1]],
      ["created_at<2026-06-01", []],
      ["created_at:2026-06-01T12:00:02Z", [2]],
      ["created_at>2026-06-01T12:00:01Z created_at<2026-06-01T12:00:03Z", [2]],
      ["created_at>=2026-06-01T12:00:02Z created_at<=2026-06-01T12:00:02Z", [2]],
      ["created_at:2026-06-01T12:00:01Z created_at>2026-06-01T12:00:02Z", [3, 1]],
      ["created_at<2026-06-01T12:00:02Z created_at>2026-06-01T12:00:02Z", [3, 1]],
      ["created_at<2026-06-01T12:00:02Z created_at>=2026-06-01T12:00:02Z", [3, 2, 1]],
      ["created_at>2026-06-01T12:00:01Z created_at>2026-06-01T12:00:02Z", [3, 2]],
      ["email_verified_at<2026-06-01 email_verified_at>2026-06-02", []],
      ["name:(a+)+$", []],
      ["provider:github", [3, 1]],
      ["provider:GitHub", [3, 1]],
      ["provider:google", [1]],
      ["provider:twitter", []],
      ["provider:gith", []],
      ["provider:g*", [3, 1]],
      ["provider:*le", [1]],
      ["provider:*oog*", [1]],
      ["provider:google provider:twitter", [1]],
      ["provider:*", [3, 1]],
      ["provider:null", [2]],
      ["provider:null provider:google", [2, 1]],
      ["-provider:github", [2]],
      ["-provider:goo*", [3, 2]],
      ["-provider:twitter", [3, 2, 1]],
      ["-provider:null", [3, 1]],
      ["-provider:*", [2]],
      ["provider:github -provider:google", [3]],
      ["provider:null -provider:null", []],
      ["provider:github email:*@acme.test", [1]],
      ["provider:github -email:*@acme.test", [3]],
      [`provider:github id:${id(2)}`, []],
    ])("of users: %s", async (text, expected) => {
      await subject.store.seed(people());
      const found = await users({ query: parseQuery(text, USER_FIELDS) });
      expect(found?.map((row) => row.id)).toEqual(expected.map(id));
    });

    it("of users by provider follows sign-ins, links and deletions", async () => {
      const { store } = subject;
      await store.seed(people());
      const found = (text: string): Promise<string[]> => userIds({ query: parseQuery(text, USER_FIELDS) });
      await store.completeSignIn(arrival({ provider: "twitter", uid: "new", email: "new@acme.test", n: 1000 }));
      expect(await found("provider:twitter")).toEqual([id(1000)]);
      await store.completeSignIn(arrival({ provider: "github", uid: "charles", email: "charles@acme.test", n: 1001 }));
      expect(await found("provider:github")).toEqual([3, 2, 1].map(id));
      expect(await found("provider:null")).toEqual([]);
      const second = arrival({ provider: "github", uid: "charles-2", email: "charles@acme.test", n: 1002 });
      await store.completeSignIn(second);
      expect(await found("provider:github")).toEqual([3, 2, 1].map(id));
      await store.change("identities", { instance_id: A, id: id(1001) }, () => undefined);
      expect(await found("provider:github -provider:google")).toEqual([3, 2].map(id));
      await store.change("identities", { instance_id: A, id: id(1002) }, () => undefined);
      expect(await found("provider:null")).toEqual([id(2)]);
      await store.deleteUser(A, id(3));
      expect(await found("provider:github")).toEqual([id(1)]);
      await store.replace(people());
      expect(await found("provider:github")).toEqual([3, 1].map(id));
      expect(await found("provider:twitter")).toEqual([]);
    });

    it.each([
      ["name:100%", [1]],
      ["name:10*", [1, 2]],
      ["name:10%*", []],
      ["name:*%*", [1]],
      ["name:*_b", [3]],
      ["name:*a_*", [3]],
      ["name:a_b", [3]],
      ["name:*\\*", [4]],
      ["name:*\\", []],
      ["name:*\\x", [4]],
      ["name:*'*", [5]],
      ["name:*';--", [5]],
      ["name:*\0*", []],
      ["-name:*%*", [2, 3, 4, 5, 6]],
    ])("matches every character literally: %s", async (query, expected) => {
      const texts = ["100%", "1000", "a_b", "a\\x", "';--", "axb"];
      const named = texts.map((text, n) => user(n + 1, { name: text, created_at: at(-n) }));
      await subject.store.seed(records({ users: named }));
      expect(await userIds({ query: parseQuery(query, USER_FIELDS) })).toEqual(expected.map(id));
    });

    it.each([
      ["provider:password", [23]],
      ["provider:g*", [22, 21]],
      ["ip_address:198.51.*", [22]],
      ["revoked_at:null", [23, 21]],
      ["-revoked_at:null", [22]],
      ["active:true", [23, 21]],
      ["active:false", [22]],
      ["-active:true", [22]],
      ["active:true active:false", [23, 22, 21]],
      ["active:true revoked_at>=2020-01-01", []],
      ["active:false revoked_at>=2020-01-01", [22]],
      [`user_id:${id(1)}`, [22, 21]],
      [`session_id:${sessionId(23)}`, [23]],
    ])("of sessions: %s", async (text, expected) => {
      await subject.store.seed(people());
      const found = await sessions({ query: parseQuery(text, SESSION_FIELDS) });
      expect(found?.map((row) => row.session_id)).toEqual(expected.map(sessionId));
    });
  });
}
