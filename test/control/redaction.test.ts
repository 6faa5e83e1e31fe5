// Below the faces: a pure rule whose rows no one sign-in can have.

import { expect, it } from "vitest";
import { shownAnswer, shownHeaders } from "../../src/server/history/request-log.ts";
import { redact, redactPath, redactUrl, withoutQuery } from "../../src/server/history/redact.ts";

it.each([
  ["/users/7", "/users/7"],
  ["/cb?code=abc&state=def", "/cb?code=[redacted]&state=[redacted]"],
  ["/cb?%63ode=abc", "/cb?code=[redacted]"],
  ["/cb?code", "/cb?code=[redacted]"],
  ["/a?provider=github&scope=user%3Aemail+read", "/a?provider=github&scope=user%3Aemail%20read"],
  ["/a?provider=google&&limit=5&", "/a?provider=google&limit=5"],
  ["/a?%70rovider=google", "/a?provider=google"],
  ["/a?redirect_uri=http%3A%2F%2Flocalhost%2Fcb%3Fkey%3Ds%23f", "/a?redirect_uri=http%3A%2F%2Flocalhost%2Fcb"],
  [
    "/a?redirect_uri=https%3A%2F%2Fada%3Ahunter2%40app.example%2Fcb",
    "/a?redirect_uri=https%3A%2F%2F%5Bredacted%5D%40app.example%2Fcb",
  ],
  [
    "/a?redirect_uri=https%3A%5C%5Cada%3Ahunter2%40app.example",
    "/a?redirect_uri=https%3A%5C%5C%5Bredacted%5D%40app.example",
  ],
  ["/a?redirect_uri=https%3A%2F%2Fapp.example%2F%40ada", "/a?redirect_uri=https%3A%2F%2Fapp.example%2F%40ada"],
  ["/a?b=1&?query=x", "/a?b=[redacted]&%3Fquery=[redacted]"],
  ["/a?a%20b=1", "/a?a%20b=[redacted]"],
  ["/api/v1/users/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "/api/v1/users/[redacted]"],
  ["/api/v1/users/sk_acme_0123456789abcdef?limit=5", "/api/v1/users/[redacted]?limit=5"],
  [`/api/v1/users/eyJhbGciOiJIUzI1NiJ9.${"x".repeat(400)}`, "/api/v1/users/[redacted]"],
  ["/a?query=email%3Ask_acme_0123", "/a?query=email%3A[redacted]"],
  ["/a?instance=ctl_0123&login_hint=dsh_a.b.c", "/a?instance=[redacted]&login_hint=[redacted]"],
  ["/a?sk_acme_0123=1", "/a?[redacted]=[redacted]"],
  ["/a?message=%E2%82%AC%FF", "/a?message=%E2%82%AC%EF%BF%BD"],
])("the log shows %s as %s", (address, shown) => {
  expect(redactUrl(address)).toBe(shown);
});

it("the log keeps the first 24 query parameters and 300 characters of each part of an address", () => {
  expect(redactUrl(`/a?${"query=x&".repeat(30)}`)).toBe(`/a?${Array(24).fill("query=x").join("&")}`);
  expect(redactUrl(`/a?query=${"x".repeat(400)}`)).toBe(`/a?query=${"x".repeat(300)}`);
  expect(withoutQuery(`/${"x".repeat(400)}#f`)).toBe(`/${"x".repeat(299)}`);
});

it("the log keeps the first 512 characters of a header and 2,048 of an answer", () => {
  const headers = shownHeaders({ get: () => "x".repeat(30_000) });
  const answer = shownAnswer({ target: "/", json: JSON.stringify("y".repeat(30_000)) });
  expect(headers["user-agent"]).toBe(`${"x".repeat(512)}…`);
  expect(answer).toBe(`"${"y".repeat(2047)}…`);
});

const UUID = "0198a8a6-7f4e-7c1e-8d32-0f6f1c5a2b11";
it.each([
  ["/", "/"],
  ["/oauth/authorise?provider=github&code=abc", "/oauth/authorise"],
  ["/api/v2/users#top", "/api/v2/users"],
  ["//Sign-In/", "//Sign-In/"],
  ["/.well-known/openid-configuraton", "/.well-known/openid-configuraton"],
  ["/wp-login.php", "/wp-login.php"],
  ["/users/42/edit", "/users/42/edit"],
  ["/confirm/123456", "/confirm/[redacted]"],
  [`/api/v1/user/${UUID}/sessions`, `/api/v1/user/${UUID}/sessions`],
  ["/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "/verify/[redacted]"],
  ["/sk_acme_0123456789abcdefghijklmnopqrstuv/users", "/[redacted]/users"],
  ["/sk_abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", "/[redacted]"],
  ["/sk_iVBMV-oxFMl", "/[redacted]"],
  ["/ctl_iVBMV/dsh_oxFMl", "/[redacted]/[redacted]"],
  ["/oauth/callback/a1b2c3d4e5f6a7b8c9d0", "/oauth/callback/[redacted]"],
  [`/state/${"ab12".repeat(16)}`, "/state/[redacted]"],
  ["/login/correct-horse-battery-staple", "/login/[redacted]"],
  ["/users/ada@acme.test", "/users/[redacted]"],
  ["/users/ada%40acme.test", "/users/[redacted]"],
  ["/a;key=1/b", "/[redacted]/b"],
  ["/clear\u001b[2J/screen", "/[redacted]/screen"],
  ["/clear\u009b2J", "/[redacted]"],
  ["/users/\u202etxt", "/users/[redacted]"],
  ["/\u0430dmin", "/[redacted]"],
])("the log shows the path of %j, which no route has, as %s", (address, shown) => {
  expect(redactPath(address)).toBe(shown);
});

it("the log keeps the first 23 segments of a path that no route has, and no beginning of a secret", () => {
  expect(redactPath("/a".repeat(400))).toBe("/a".repeat(23));
  expect(redactPath(`/a/${"k".repeat(400)}`)).toBe("/a/[redacted]");
});

/** A list as a step of a sign-in has it. */
const fieldsOf = (list: readonly unknown[]): Record<string, unknown> => Object.fromEntries(list.entries());

it("a flow keeps of a list what it keeps of a message: the fields of each entry that are no secret", () => {
  const emails = [
    { email: "ada@acme.test", primary: true, verified: false, visibility: "private" },
    { email: "sk_acme_0123456789abcdef", primary: false, verified: true, token: "geheim" },
  ];
  expect(redact({ status: 200, ...fieldsOf(emails) })).toEqual({
    status: 200,
    "0.email": "ada@acme.test",
    "0.primary": true,
    "0.verified": false,
    "0.visibility": "[redacted]",
    "1.email": "[redacted]",
    "1.primary": false,
    "1.verified": true,
    "1.token": "[redacted]",
  });
  expect(redact(fieldsOf(["geheim", ["geheim"], { email: { a: "geheim" }, deep: { email: "geheim" } }]))).toEqual({
    "0": "[redacted]",
    "1.0": "[redacted]",
    "2.email": "an object",
    "2.deep": "[redacted]",
  });
  const many = Array.from({ length: 9 }, () => ({ email: "a@b.test", primary: true, verified: true }));
  expect(Object.keys(redact({ status: 200, ...fieldsOf(many) })!)).toHaveLength(24);
});
