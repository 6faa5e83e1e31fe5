import type { Clause, Query, Term } from "../../../wire/query.ts";
import { fold } from "../../../wire/fold.ts";
import { timestampOf } from "./database/timestamps.ts";
import { searchColumn } from "./rows.ts";

/** Names a value in the text of a statement, e.g. `$3::text`. */
export type Bind = (value: string) => string;

/** A query as an SQL condition, which matches exactly what the json driver finds. */
export function condition(table: "users" | "sessions", query: Query, bind: Bind): string {
  return query.map((clause) => `(${clauseCondition(table, clause, bind)})`).join(" AND ") || "true";
}

function clauseCondition(table: "users" | "sessions", clause: Clause, bind: Bind): string {
  const { type } = clause;
  const column = searchColumn(table, clause.column);
  const text = (term: Term): string => termCondition(`row.${column}`, term, type, bind);
  // A null satisfies no term but `null`, and so satisfies the negation of every other.
  const excluded = clause.excluded.map((term) => `(${text(term)}) IS NOT TRUE`);
  const range = clause.range.map(text).join(" AND ");
  const wanted = [...clause.values.map(text), ...(range === "" ? [] : [`(${range})`])].join(" OR ");
  return [...excluded, ...(wanted === "" ? [] : [`(${wanted})`])].join(" AND ");
}

function termCondition(column: string, { operator, value }: Term, type: Clause["type"], bind: Bind): string {
  if (type === "boolean") return `${column} IS ${value === "true" ? "" : "NOT "}NULL`;
  const isTime = type === "datetime";
  const wanted = isTime ? timestampOf(value.length === 10 ? `${value}T00:00:00.000Z` : value) : fold(value);
  // PostgreSQL can't store this character, so no stored text has it.
  if (wanted.includes("\0")) return "false";
  const bound = (): string => bind(wanted) + (isTime ? "::timestamptz" : "");
  const like = (before: string, after: string): string =>
    `${column} LIKE ${bind(before + wanted.replace(/[\\%_]/g, "\\$&") + after)}`;
  switch (operator) {
    case "null":
      return `${column} IS NULL`;
    case "is":
      return `${column} = ${bound()}`;
    case "starts":
      return like("", "%");
    case "ends":
      return like("%", "");
    case "contains":
      return like("%", "%");
    case "on": {
      const day = bound();
      return `${column} >= ${day} AND ${column} < ${day} + interval '1 day'`;
    }
    case ">":
    case "<":
    case ">=":
    case "<=":
      return `${column} ${operator} ${bound()}`;
  }
}
