// Below the faces: what is sealed is a table, of which no answer shows all.
import { expect, it } from "vitest";
import { columnsOf, TABLE_NAMES, type TableName } from "../../src/server/store/columns.ts";
import { newRecord, withoutSecrets } from "../../src/server/store/records.ts";
import { SEARCHABLE } from "../../src/server/store/fields.ts";
import { instance, user } from "./_records.ts";

const sealed = (name: TableName): string[] =>
  columnsOf(name).flatMap(({ name: column, sealed: isSealed }) => (isSealed ? [column] : []));

it("API responses are made of every column of a record except the sealed ones", () => {
  const record = { ...user(1), password_digest: "$2b$12$digest" };
  const shown = withoutSecrets("users", record);
  expect(Object.keys(shown)).toEqual(Object.keys(record).filter((column) => column !== "password_digest"));
  expect(JSON.stringify(shown)).not.toContain("digest");
});

it("Keys, digests, provider tokens and the binding of a sign-in to its browser are sealed", () => {
  expect(Object.fromEntries(TABLE_NAMES.map((name) => [name, sealed(name)]))).toEqual({
    settings: ["value"],
    instances: ["secret_key", "connections", "clients", "old_keys"],
    personas: [],
    users: ["password_digest"],
    identities: ["access_token", "refresh_token"],
    sessions: [],
    states: ["state", "code_verifier", "binding"],
  });
});

it("A sealed column cannot be searched", () => {
  for (const name of ["users", "sessions"] as const)
    expect(Object.keys(SEARCHABLE[name]).filter((field) => sealed(name).includes(field))).toEqual([]);
});

it("A new record has every column of its table in order, with initial values for missing ones", () => {
  const { old_keys, preview, ...given } = instance("a", "acme");
  const made = newRecord("instances", given);
  expect(Object.keys(made)).toEqual(columnsOf("instances").map(({ name }) => name));
  expect([made.old_keys, made.preview]).toEqual([old_keys, preview]);
});
