import { expect, it } from "vitest";
import { A, arrival, at, people } from "../store/_records.ts";
import { admin, createDatabase } from "./_postgres.ts";
import { open, patient } from "./_store.ts";

it("A revocation that commits while its user signs in again is not written over", async () => {
  const url = await createDatabase();
  const store = await open(patient(url));
  await store.seed(people());
  const { session: own } = await store.completeSignIn(arrival({ uid: "ada" }));
  const sql = admin(url);
  let signingIn: ReturnType<typeof store.completeSignIn> | undefined;
  await sql.begin("isolation level read committed", async (ask) => {
    await ask`UPDATE svc.sessions SET revoked_at = ${at(1400)} WHERE session_id = ${own.session_id}`;
    signingIn = store.completeSignIn(arrival({ uid: "ada", time: 1500 }));
    const waits = async (): Promise<number> =>
      (await ask`SELECT FROM pg_stat_activity WHERE application_name = 'svc' AND wait_event_type = 'Lock'`).length;
    await expect.poll(waits).toBe(1);
  });
  const { session } = await signingIn!;
  expect(session.session_id).not.toBe(own.session_id);
  expect((await store.find("sessions", { instance_id: A, id: own.session_id }))?.revoked_at).toBe(at(1400));
});
