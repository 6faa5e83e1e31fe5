import { expect, it } from "vitest";
import { redactUrl, withoutQuery } from "../../src/server/flows/redact.ts";

it.each([
  ["/users/7", "/users/7"],
  ["/cb?code=abc&state=def", "/cb?code=[redacted]&state=[redacted]"],
  ["/cb?%63ode=abc", "/cb?code=[redacted]"],
  ["/cb?code", "/cb?code=[redacted]"],
  ["/a?provider=github&scope=user%3Aemail+read", "/a?provider=github&scope=user%3Aemail%20read"],
  ["/a?provider=google&&limit=5&", "/a?provider=google&limit=5"],
  ["/a?%70rovider=google", "/a?provider=google"],
  ["/a?redirect_uri=http%3A%2F%2Flocalhost%2Fcb%3Fkey%3Ds%23f", "/a?redirect_uri=http%3A%2F%2Flocalhost%2Fcb"],
  ["/a?b=1&?query=x", "/a?b=[redacted]&%3Fquery=[redacted]"],
  ["/a?a%20b=1", "/a?a%20b=[redacted]"],
  ["/a?message=%E2%82%AC%FF", "/a?message=%E2%82%AC%EF%BF%BD"],
])("the log shows %s as %s", (address, shown) => {
  expect(redactUrl(address)).toBe(shown);
});

it("the log keeps the first 24 query parameters and 300 characters of each part of an address", () => {
  expect(redactUrl(`/a?${"query=x&".repeat(30)}`)).toBe(`/a?${Array(24).fill("query=x").join("&")}`);
  expect(redactUrl(`/a?query=${"x".repeat(400)}`)).toBe(`/a?query=${"x".repeat(300)}`);
  expect(withoutQuery(`/${"x".repeat(400)}#f`)).toBe(`/${"x".repeat(299)}`);
});
