import { expect, it } from "vitest";
import { hasPgBouncer, startPgBouncer } from "../postgres/_pgbouncer.ts";
import { createDatabase } from "../postgres/_postgres.ts";
import { startTwo } from "../postgres/_serve.ts";
import { figures, lost, startLoad } from "./_sign-in-load.ts";

const RESTARTS = process.env["SVC_FAULTS"] === "full" ? 60 : 10;

it.skipIf(!hasPgBouncer)("A restart of PgBouncer under load loses no acknowledged sign-in", async () => {
  const direct = await createDatabase();
  const bouncer = await startPgBouncer(direct);
  const servers = await startTwo(bouncer.url(direct));
  const load = startLoad(servers);
  for (let round = 0; round < RESTARTS; round++) {
    await load.succeed(30);
    await bouncer.restart();
  }
  await load.succeed(30);
  const outcome = await load.stop();
  console.log(figures(`pgbouncer, ${RESTARTS} restarts`, outcome));
  expect(await lost(outcome, servers[1]!)).toEqual([]);
  expect(Object.keys(outcome.failed).filter((what) => !["503", "temporarily_unavailable"].includes(what))).toEqual([]);
  expect(servers.map(({ child }) => child.exitCode)).toEqual([null, null]);
});
