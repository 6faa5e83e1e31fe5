// Below the faces: a pure rule: no schema of ours has all of its kinds of fault.

import * as z from "zod/mini";
import { expect, it } from "vitest";
import { checkedBy } from "../../src/server/zod-errors.ts";

const Schema = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(5)),
  port: z.int().check(z.minimum(1), z.maximum(10)),
  mode: z.enum(["real", "simulated"]),
  on: z.boolean(),
  all: z.literal(true),
  uris: z.array(z.url()).check(z.maxLength(1)),
  as: z.union([z.string(), z.number()]),
  email: z.string().check(z.regex(/@/, "must be an e-mail address")),
});
const GOOD = { name: "a", port: 1, mode: "real", on: true, all: true, uris: [], as: "x", email: "a@b" };

it.each([
  [{ nmae: "a" }, "nmae: unknown key. Did you mean name?"],
  [{ prot: 1 }, "prot: unknown key. Did you mean port?"],
  [{ zork: 1 }, "zork: unknown key. The keys are all, as, email, mode, name, on, port, uris."],
  [{ nonsense: "a" }, "nonsense: unknown key. The keys are all, as, email, mode, name, on, port, uris."],
  [{ [`${"x".repeat(60)}name`]: "a" }, /^x+name: unknown key. The keys are all, /],
  [{ name: undefined }, "name: is missing"],
  [{ name: 5 }, "name: must be text"],
  [{ name: "" }, "name: must not be empty"],
  [{ name: "abcdef" }, "name: must be 5 characters or less"],
  [{ port: 0 }, "port: must be 1 or more"],
  [{ port: 1.5 }, "port: must be a whole number"],
  [{ mode: "fake" }, "mode: must be one of real, simulated"],
  [{ mode: "simulate" }, "mode: must be one of real, simulated. Did you mean simulated?"],
  [{ on: "yes" }, "on: must be true or false"],
  [{ all: false }, "all: must be true"],
  [{ uris: ["nonsense"] }, "uris[0]: must be an address such as https://example.com/"],
  [{ uris: ["http://a/", "http://b/"] }, "uris: must be 1 entry or less"],
  [{ as: null }, "as: has none of the forms that are accepted"],
  [{ email: "nobody" }, "email: must be an e-mail address"],
])("a validation error names the path and says what to write: %j", (change, line) => {
  expect(checkedBy(Schema, { ...GOOD, ...change }).faults).toEqual([
    typeof line === "string" ? line : expect.stringMatching(line),
  ]);
});

it("a validation error for a key where none is allowed says so", () => {
  expect(checkedBy(z.strictObject({}), { x: 1 }).faults).toEqual(["x: unknown key. There are no keys here."]);
});
