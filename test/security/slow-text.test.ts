// Below the faces: a pure rule with texts that are too long to print.

import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { authenticateRequest } from "../../src/client/verify.ts";
import { csvLine } from "../../src/text/harmless.ts";
import { answering } from "../_answering.ts";
import { SECRET } from "../_attacks.ts";
import { FRONT } from "../_setup.ts";

/** In quadratic time each of these texts takes minutes. */
describe("T48: Text that is slow to read does not block an application:", () => {
  it.each([" ", "\t"])("%j in the middle of a cookie, many times", async (space) => {
    const cookie = `a=b${space.repeat(400_000)}c; token=${space.repeat(400_000)}x`;
    const state = await authenticateRequest({ headers: { cookie } }, { secretKey: SECRET, cookie: "token" });
    expect(state).toMatchObject({ status: "signed-out", error: { reason: "malformed" } });
  });

  it("the beginning of a token in an error of the service, many times", async () => {
    const error = "eyJ".repeat(200_000);
    const client = createClient({
      secretKey: SECRET,
      baseUrl: FRONT,
      fetch: answering(422, JSON.stringify({ error: `${error} eyJa.b.c` })),
    });
    await expect(client.users.list()).rejects.toThrow(`${error} eyJ…`);
  });

  it("the beginning of an address in a Link header, many times", async () => {
    const link = `${"<".repeat(400_000)}/api/v1/users?after=a>; rel="next"`;
    const client = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch: answering(200, "[]", { link }) });
    const iterator = client.users.list()[Symbol.asyncIterator]();
    // The second page, which the header names, is the first one again.
    await expect(iterator.next()).rejects.toThrow("the same page twice");
  });

  it("spaces behind a semicolon, before what is no formula, many times", () => {
    const spaces = `;${" ".repeat(400_000)}`;
    expect(csvLine([`${spaces}x${spaces}=1`])).toBe(`"${spaces}x${spaces}'=1"\n`);
  });
});
