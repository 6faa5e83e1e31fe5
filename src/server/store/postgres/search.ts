import type { Clause, Query, Term } from "../../../wire/search/query.ts";
import { fold } from "../../../text/fold.ts";
import { timestampOf } from "./database/connection.ts";
import { searchColumn } from "./rows.ts";

/** When a session was last renewed, where it has an index. */
export const LISTED_TIME = "listed.last_signin_at";

type Bind = (value: string) => string;

/** A query as an SQL condition, which matches exactly what the json driver finds. */
export function condition(table: "users" | "sessions", query: Query, bind: Bind): string {
  return query.map((clause) => `(${clauseCondition(table, clause, bind)})`).join(" AND ") || "true";
}

function clauseCondition(table: "users" | "sessions", clause: Clause, bind: Bind): string {
  const { type } = clause;
  if (clause.of) return linkCondition(clause.of, clause, bind);
  const isListed = table === "sessions" && clause.column === "last_signin_at";
  const column = isListed ? LISTED_TIME : `row.${searchColumn(table, clause.column)}`;
  const text = (term: Term): string => termCondition(column, term, type, bind);
  // A null satisfies no term but `null`, and so satisfies the negation of every other.
  const excluded = clause.excluded.map((term) => `(${text(term)}) IS NOT TRUE`);
  const range = clause.range.map(text).join(" AND ");
  const wanted = [...clause.values.map(text), ...(range === "" ? [] : [`(${range})`])].join(" OR ");
  return [...excluded, ...(wanted === "" ? [] : [`(${wanted})`])].join(" AND ");
}

/**
 * Of the rows that belong to one. EXISTS is a join for PostgreSQL, which begins at the users or at the identities of a
 * provider, by the index identities_uid. Two of them with OR are not: they would read all identities.
 */
function linkCondition(of: NonNullable<Clause["of"]>, clause: Clause, bind: Bind): string {
  const column = `own.${searchColumn(of, clause.column)}`;
  const links = (select: string, more = ""): string =>
    `(SELECT ${select} FROM svc.${of} own WHERE own.instance_id = row.instance_id AND own.user_id = row.id${more})`;
  const any = (terms: readonly Term[], isExcluded: boolean): string => {
    const named = terms.filter(({ operator }) => operator !== "null");
    const some = named.map((term) => termCondition(column, term, clause.type, bind)).join(" OR ");
    const not = isExcluded ? "NOT " : "";
    if (named.length === 0) return `${isExcluded ? "" : "NOT "}EXISTS ${links("")}`;
    if (named.length < terms.length) return `${not}coalesce(${links(`bool_or(${some})`)}, true)`;
    return `${not}EXISTS ${links("", ` AND (${some})`)}`;
  };
  return [
    ...(clause.excluded.length > 0 ? [any(clause.excluded, true)] : []),
    ...(clause.values.length > 0 ? [any(clause.values, false)] : []),
  ].join(" AND ");
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
