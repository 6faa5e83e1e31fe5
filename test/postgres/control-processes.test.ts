import { expect, it } from "vitest";
import { serve, useProcesses } from "../_bin.ts";
import { call, followSignIn } from "../_control.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer } from "./_store.ts";

awaitServer();
useProcesses();

const KEY = `ctl_${"abcdefghijklmnop".repeat(3)}`;
const APP = "http://localhost:3000/callback";

it("Two svc serve processes on one database share scenarios", async () => {
  const env = { SVC_STORE: await createDatabase(), SVC_CONTROL_KEY: KEY };
  const servers = [await serve([], { env }), await serve([], { env })];
  const [one, other] = servers.map(({ ready }) => ready.url) as [string, string];
  const authorization = `Bearer ${KEY}`;
  await call(one, "POST /scenarios", { outcome: "access_denied", as: "ada", times: 1 }, { authorization });
  const end = async (): Promise<string | null> => {
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" });
    return ((await followSignIn(`${other}/oauth/authorize?${query.toString()}`)) as URL).searchParams.get("error");
  };
  await expect.poll(end).toBe("access_denied");
  expect(await end()).toBeNull();
  expect((await call(one, "GET /scenarios", undefined, { authorization })).body).toMatchObject([{ data: { used: 1 } }]);
});
