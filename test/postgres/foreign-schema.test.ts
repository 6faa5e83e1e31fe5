// Below the faces: each role of the database opens the store without a server of its own.

import { expect, it, onTestFinished } from "vitest";
import { checkPostgres } from "../../src/server/store/postgres/check.ts";
import { migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { people } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer } from "./_store.ts";

awaitServer();

/** A role with rights on a database, until the test ends. @returns the database's address as that role */
async function role(
  url: string,
  kind: string,
  rights: (name: string) => string,
): Promise<{ name: string; own: string }> {
  const name = `${kind}_${new URL(url).pathname.slice(-6)}`;
  await execute(url, `CREATE ROLE ${name} LOGIN PASSWORD 'x'; ${rights(name)}`);
  onTestFinished(() => execute(url, `DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`));
  const own = new URL(url);
  own.username = name;
  own.password = "x";
  return { name, own: own.href };
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
const mayCreateSchemas = (url: string) => (name: string) => `GRANT CREATE ON DATABASE ${nameOf(url)} TO ${name}`;
const open = (url: string): Promise<unknown> =>
  openPostgresStore(url, { warn: () => {} }).then((store) => store.close().then(() => "opened"));

/** Makes everything that runs there record the role that runs it. */
const TRAP = `CREATE TABLE public.trace (who text); GRANT ALL ON public.trace TO PUBLIC;
  CREATE FUNCTION svc.trap() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO public.trace VALUES (current_user); RETURN 1; END $$;
  GRANT USAGE ON SCHEMA svc TO PUBLIC;
  CREATE VIEW svc.migrations AS SELECT svc.trap() AS version; GRANT SELECT ON svc.migrations TO PUBLIC`;

it("PostgreSQL: a schema svc that another role created is refused, and nothing in it is run", async () => {
  const url = await createDatabase();
  const { name, own } = await role(
    url,
    "mallory",
    (who) => `${mayCreateSchemas(url)(who)}; GRANT CREATE ON SCHEMA public TO ${who}`,
  );
  await execute(own, `CREATE SCHEMA svc; ${TRAP}`);
  const what = `the schema svc belongs to the role "${name}"`;
  await expect(open(url)).rejects.toThrow(what);
  await expect(migratePostgres(url)).rejects.toThrow(what);
  await expect(checkPostgres(url)).rejects.toThrow(`add schema_owner=${name} to the address`);
  expect(await admin(url).unsafe("SELECT who FROM public.trace")).toEqual([]);
});

it("PostgreSQL: a schema svc that another role filled like svc is refused to all but its owner", async () => {
  const url = await createDatabase();
  const owner = await role(url, "owner", mayCreateSchemas(url));
  await migratePostgres(owner.own);
  const rights = (name: string): string =>
    `GRANT USAGE ON SCHEMA svc TO ${name}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA svc TO ${name}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA svc TO ${name}`;
  const app = await role(url, "app", rights);
  expect(await open(owner.own)).toBe("opened");
  await expect(open(app.own)).rejects.toThrow(`belongs to the role "${owner.name}"`);
  // One that names the owner to trust, and one that is a member of it.
  expect(await open(`${app.own}?schema_owner=${owner.name}`)).toBe("opened");
  const member = await role(url, "member", (name) => `GRANT ${owner.name} TO ${name}`);
  expect(await open(member.own)).toBe("opened");
});

it("PostgreSQL: another role's function or table in the schema is refused by name", async () => {
  const url = await createDatabase();
  await migratePostgres(url);
  const { name, own } = await role(url, "mallory", (who) => `GRANT ALL ON SCHEMA svc TO ${who}`);
  await execute(own, "CREATE FUNCTION svc.save_state(json, text) RETURNS void LANGUAGE sql AS 'SELECT'");
  await expect(open(url)).rejects.toThrow(`svc.save_state() belongs to the role "${name}"`);
  await execute(own, "DROP FUNCTION svc.save_state(json, text); CREATE TABLE svc.extra (id int)");
  await expect(open(url)).rejects.toThrow(`svc.extra belongs to the role "${name}"`);
  await execute(own, "DROP TABLE svc.extra");
  expect(await open(url)).toBe("opened");
});

it("PostgreSQL: the schema svc of another program is refused, and an empty one is used", async () => {
  const url = await createDatabase();
  await execute(url, "CREATE SCHEMA svc; CREATE TABLE svc.orders (id int)");
  await expect(open(url)).rejects.toThrow("the schema svc contains orders, which svc did not create");
  await execute(url, "DROP TABLE svc.orders");
  const store = await openPostgresStore(url, { warn: () => {} });
  onTestFinished(() => store.close());
  await store.seed(people());
  expect(await store.instances()).toHaveLength(2);
});
