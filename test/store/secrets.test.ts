// Below the faces: what is sealed is a table, of which no answer shows all.
import { expect, it } from "vitest";
import { columnsOf, TABLE_NAMES, type TableName } from "../../src/server/store/columns.ts";
import { newRecord, withoutSecrets } from "../../src/server/store/records.ts";
import { SESSION_FIELDS, USER_FIELDS, type Field } from "../../src/wire/search/fields.ts";
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

it("A search finds by columns as they are stored, and by none that is sealed", () => {
  for (const [table, fields] of Object.entries({ users: USER_FIELDS, sessions: SESSION_FIELDS }))
    for (const [name, field] of Object.entries<Field>(fields)) {
      const { isNull = name, of = table as TableName, type, nullable } = field;
      const column = columnsOf(of).find((one) => one.name === isNull);
      const isTime = column?.kind === "time";
      expect([name, column?.sealed, isTime && !field.isNull]).toEqual([name, undefined, type === "datetime"]);
      expect([name, column?.nullable]).toEqual([name, (nullable && !field.of) || field.isNull ? true : undefined]);
    }
});

it("A new record has every column of its table in order, with initial values for missing ones", () => {
  const { old_keys, preview, ...given } = instance("a", "acme");
  const made = newRecord("instances", given);
  expect(Object.keys(made)).toEqual(columnsOf("instances").map(({ name }) => name));
  expect([made.old_keys, made.preview]).toEqual([old_keys, preview]);
});
