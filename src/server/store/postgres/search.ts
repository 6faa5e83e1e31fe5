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

function termCondition(column: string, term: Term, type: Clause["type"], bind: Bind): string {
  if (term.operator === "null") return `${column} IS NULL`;
  if (type === "boolean") return `${column} IS ${term.value === "true" ? "" : "NOT "}NULL`;
  if (type === "datetime") return momentCondition(column, term, bind);
  const wanted = fold(term.value);
  // PostgreSQL can't store this character, so no stored text has it.
  if (wanted.includes("\0")) return "false";
  const pattern = wanted.replace(/[\\%_]/g, "\\$&");
  switch (term.operator) {
    case "starts":
      return `${column} LIKE ${bind(`${pattern}%`)}`;
    case "ends":
      return `${column} LIKE ${bind(`%${pattern}`)}`;
    case "contains":
      return `${column} LIKE ${bind(`%${pattern}%`)}`;
    default:
      return `${column} = ${bind(wanted)}`;
  }
}

function momentCondition(column: string, { operator, value }: Term, bind: Bind): string {
  const moment = timestampOf(value.length === 10 ? `${value}T00:00:00.000Z` : value);
  const bound = `${bind(moment)}::timestamptz`;
  if (operator === "on") return `${column} >= ${bound} AND ${column} < ${bound} + interval '1 day'`;
  return operator === "is" ? `${column} = ${bound}` : `${column} ${operator} ${bound}`;
}
