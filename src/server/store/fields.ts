import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import type { TABLES, TableName } from "./columns.ts";

type Columns<Name extends TableName> = (typeof TABLES)[Name];
type NullableOf<C> = C extends { nullable: true } ? { nullable: true } : unknown;

type FieldsOf<Name extends TableName> = {
  [Key in keyof Columns<Name> as Columns<Name>[Key] extends { searchable: true } ? Key : never]: {
    type: Columns<Name>[Key] extends { kind: "time" } ? "datetime" : "string";
  } & NullableOf<Columns<Name>[Key]>;
};
/** Another field shows whether a column is null, */
interface NullFieldOf<Name extends TableName> {
  type: "boolean";
  isNull: {
    [Key in keyof Columns<Name>]: Columns<Name>[Key] extends { nullable: true } ? Key : never;
  }[keyof Columns<Name>];
}

/** or is a column of the records that belong to one. */
type LinkedField<Key> = Key extends keyof Columns<"identities">
  ? { type: "string"; nullable: true; of: "identities" }
  : never;

/** The fields of the search language. Does not compile unless they are the searchable columns. */
export const SEARCHABLE = {
  users: fieldsOf<"users">()(USER_FIELDS),
  sessions: fieldsOf<"sessions">()(SESSION_FIELDS),
};

function fieldsOf<Name extends TableName>() {
  return <Given extends Fields & FieldsOf<Name>>(
    fields: Given & {
      [Key in Exclude<keyof Given, keyof FieldsOf<Name>>]: NullFieldOf<Name> | LinkedField<Key>;
    },
  ): Given => fields;
}
