// Below the faces: each path of a store, past functions that another role planted.

import { readdir, readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { checkPostgres } from "../../src/server/store/postgres/check.ts";
import { migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { openPostgresSource, openPostgresTarget } from "../../src/server/store/postgres/transfer.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import type { Entry } from "../../src/server/store/records.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { A, all, arrival, at, id, people, state, takeState } from "../store/_records.ts";
import { createDatabase, execute, admin } from "./_postgres.ts";
import { awaitServer } from "./_store.ts";

const SQL = new URL("../../src/server/store/postgres/", import.meta.url);
const TYPES = ["text", "bigint", "int", "json", "timestamptz", "boolean", "xid", "name", "anyelement"];
const OPERATORS = ["=", "<>", "<", ">", "<=", ">=", "||", "->>", "->", "+", "-", "~~", "!~~", "~~*"];
/** The calls with more than two arguments. */
const LONGER = {
  concat_ws: ["text, text, text", "text, text, text, text", "text, text, xid, text, text, xid"],
  lpad: ["text, int, text"],
};

awaitServer();

/** The functions that our statements call. */
async function calledFunctions(url: string): Promise<string[]> {
  const names = (await readdir(SQL, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const files = await Promise.all(names.map((name) => readFile(new URL(name, SQL), "utf8")));
  const called = new Set([...files.join("\n").matchAll(/\b([a-z_0-9]+) ?\(/g)].map(([, name]) => name!));
  const known = await admin(url).unsafe(
    "SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace",
  );
  return known.map((row) => row["proname"] as string).filter((name) => called.has(name));
}

/** Statements of a role that may create objects in `public`, and copies secret keys whenever one of them is used. */
function plants(functions: readonly string[]): string[] {
  const body = "AS $$ BEGIN INSERT INTO public.loot SELECT secret_key FROM svc.instances; RETURN NULL; END $$";
  const pairs = TYPES.flatMap((left) => TYPES.map((right) => `${left}, ${right}`));
  const calls = functions.flatMap((name) =>
    ["", ...TYPES, ...pairs, ...(LONGER[name as keyof typeof LONGER] ?? [])].map((types) => [name, types] as const),
  );
  const result = (name: string): string => (/count|number|lock|rank/.test(name) ? "bigint" : "text");
  return [
    ...calls.map(
      ([name, types]) => `CREATE FUNCTION public.${name}(${types}) RETURNS ${result(name)} LANGUAGE plpgsql ${body}`,
    ),
    ...pairs.flatMap((types) => {
      const [left, right] = types.split(", ");
      return OPERATORS.flatMap((operator, n) => [
        `CREATE FUNCTION public.operator_${n}(${types}) RETURNS ${/[=<>~]/.test(operator) && operator !== "->>" && operator !== "->" ? "boolean" : "text"} LANGUAGE plpgsql ${body}`,
        `CREATE OPERATOR public.${operator} (FUNCTION = public.operator_${n}, LEFTARG = ${left}, RIGHTARG = ${right})`,
      ]);
    }),
  ];
}

/** A role that may create objects in `public` and nothing else. */
async function mallory(url: string): Promise<string> {
  const name = `mallory_${new URL(url).pathname.slice(-6)}`;
  await execute(url, `CREATE ROLE ${name} LOGIN PASSWORD 'x'; GRANT CREATE, USAGE ON SCHEMA public TO ${name}`);
  onTestFinished(() => execute(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`));
  const own = new URL(url);
  own.username = name;
  own.password = "x";
  return own.href;
}

async function plant(url: string, functions: readonly string[]): Promise<void> {
  const own = await mallory(url);
  await execute(own, "CREATE TABLE public.loot (secret_key text); GRANT ALL ON public.loot TO PUBLIC");
  // One block that continues after each statement that PostgreSQL refuses.
  const each = plants(functions).map((text) => `BEGIN EXECUTE $q$${text}$q$; EXCEPTION WHEN OTHERS THEN NULL; END;`);
  for (let start = 0; start < each.length; start += 500)
    await execute(own, `DO $do$ BEGIN ${each.slice(start, start + 500).join("\n")} END $do$`);
}

it("PostgreSQL: functions and operators of other roles in public are never called", async () => {
  const url = await createDatabase();
  const functions = await calledFunctions(url);
  expect(functions).toEqual(expect.arrayContaining(["concat_ws", "json_populate_record", "row_to_json", "string_agg"]));
  await plant(url, functions);
  const [count] = await admin(url).unsafe(
    "SELECT count(*)::pg_catalog.int4 AS n FROM pg_catalog.pg_proc WHERE pronamespace OPERATOR(pg_catalog.=) 'public'::pg_catalog.regnamespace",
  );
  expect(count!["n"]).toBeGreaterThan(1000);

  await migratePostgres(url);
  const store = await openPostgresStore(url, { warn: () => {} });
  onTestFinished(() => store.close());
  await store.seed(people());
  await store.completeSignIn(arrival({ uid: "new" }));
  await store.completeSignIn(arrival({ uid: "new" }));
  await store.saveState(state(1));
  expect(await takeState(store, state(1).state)).toEqual(state(1));
  expect(await store.instances()).toHaveLength(2);
  expect(await store.personas()).toEqual(people().personas);
  const terms = [
    "name:*lovel*",
    "-email:x",
    "created_at>=2020-01-01",
    "created_at:2020-01-01",
    "email_verified_at:null",
  ];
  for (const term of terms) await all(store.users(A, { query: parseQuery(term, USER_FIELDS) }));
  await all(store.users(A, { after: { time: at(1), id: id(1) } }));
  await all(store.sessions(A, { query: parseQuery("ip_address:2*", SESSION_FIELDS) }));
  expect((await store.findUser(A, id(1)))?.user.id).toBe(id(1));
  expect(await store.deleteUser(A, id(2))).toBe(true);
  const content: Entry[] = [];
  const source = await openPostgresSource(url);
  for await (const batch of source.entries()) content.push(...batch);
  await source.close();
  await checkPostgres(url);
  await store.replace(people());

  const other = await createDatabase();
  await plant(other, functions);
  const target = await openPostgresTarget(other);
  await target.begin("fingerprint");
  await target.put(content);
  await target.finish();
  await target.close();

  for (const place of [url, other]) expect(await admin(place).unsafe("SELECT secret_key FROM public.loot")).toEqual([]);
}, 120_000);

it("PostgreSQL: svc's own functions only use pg_catalog, whoever calls them", async () => {
  const url = await createDatabase();
  await migratePostgres(url);
  const rows = await admin(url).unsafe(
    "SELECT proname, proconfig::text AS settings FROM pg_proc WHERE pronamespace = 'svc'::regnamespace AND prolang <> 13",
  );
  const own = rows.filter(
    (row) => !/trgm|similarity|^set_limit|^show_limit|^g(in|trgm)_/.test(row["proname"] as string),
  );
  expect(own.map((row) => row["proname"] as string).toSorted()).toEqual([
    "acquaintance",
    "complete_sign_in",
    "note_revision",
    "note_session_time",
    "save_state",
  ]);
  for (const { settings } of own) expect(settings).toContain("search_path=pg_catalog, pg_temp");
});
