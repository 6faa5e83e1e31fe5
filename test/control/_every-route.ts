import { expect } from "vitest";
import type * as z from "zod/mini";
import { CONTROL_ROUTES } from "../../src/wire/control/routes.ts";
import type { ControlRoute } from "../../src/wire/control/types.ts";
import type { RouteDefinition } from "../../src/wire/route.ts";
import type { Answered, ControlledServer } from "../_control.ts";

export const ROUTES = Object.keys(CONTROL_ROUTES) as ControlRoute[];

/** Checks that an answer has the documented form. */
function checkAnswer(route: ControlRoute, { status, body }: Answered): void {
  const definition: RouteDefinition = CONTROL_ROUTES[route];
  expect([route, status]).toEqual([route, definition.status ?? 200]);
  const parsed = (definition.answer as z.ZodMiniType).safeParse(body);
  expect(parsed.error?.issues ?? [], route).toEqual([]);
}

/** The routes that `ok` has called. */
const called = new Set<ControlRoute>();
/** A stream, and routes that only follow other calls: they have tests of their own. */
const CALLED_ELSEWHERE: readonly ControlRoute[] = ["GET /events", "POST /dashboard-links", "POST /dashboard-keys"];

/** A call that must succeed. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function ok(server: ControlledServer, route: ControlRoute, path: string, body?: unknown): Promise<any> {
  const answered = await server.control(`${route.split(" ")[0]} ${path}`, body);
  checkAnswer(route, answered);
  called.add(route);
  return answered.body;
}

/** Calls every route, and checks that its answer has the documented form. */
export async function callEveryRoute(server: ControlledServer): Promise<void> {
  called.clear();
  await ok(server, "GET /state", "/state");
  const made = await ok(server, "POST /instances", "/instances", { name: "Initech", subdomain: "initech" });
  expect(JSON.stringify(made)).not.toContain("sk_");
  await ok(server, "GET /instances", "/instances");
  await ok(server, "GET /instances/:id", "/instances/initech");
  await ok(server, "PATCH /instances/:id", "/instances/initech", { name: "Initech 2" });
  const before = await ok(server, "POST /instances/:id/reveal", "/instances/initech/reveal");
  const after = await ok(server, "POST /instances/:id/keys/rotate", "/instances/initech/keys/rotate");
  expect(after.secret_key).not.toBe(before.secret_key);
  expect(after.publishable_key).toBe(before.publishable_key);
  await ok(server, "DELETE /instances/:id/keys/old", "/instances/initech/keys/old");
  const own = { client_id: "a", client_secret: "the-client-secret" };
  await ok(server, "PUT /instances/:id/connections/:provider", "/instances/initech/connections/google", own);
  const connections = await ok(server, "GET /instances/:id/connections", "/instances/initech/connections");
  expect(JSON.stringify(connections)).not.toContain("the-client-secret");
  const test = "/instances/initech/connections/google/test";
  expect((await ok(server, "POST /instances/:id/connections/:provider/test", test)).ok).toBe(true);
  await ok(server, "DELETE /instances/:id/connections/:provider", "/instances/initech/connections/google");

  const client = {
    provider: "github",
    client_id: "shop-1",
    client_secret: "x",
    redirect_uris: ["http://localhost:3000/cb"],
  };
  await ok(server, "POST /instances/:id/clients", "/instances/initech/clients", client);
  expect(await ok(server, "GET /instances/:id/clients", "/instances/initech/clients")).toMatchObject([
    { data: client },
  ]);
  const other = { redirect_uris: ["http://localhost:3000/other"] };
  expect(
    await ok(server, "PATCH /instances/:id/clients/:client_id", "/instances/initech/clients/shop-1", other),
  ).toMatchObject({ data: { ...client, ...other } });
  await ok(server, "DELETE /instances/:id/clients/:client_id", "/instances/initech/clients/shop-1");

  const user = await ok(server, "POST /users", "/users", {
    instance: "initech",
    email: "peter@initech.test",
    name: "Peter",
    identities: [{ provider: "google", uid: "42", email_verified: true }],
    sessions: [{ provider: "google" }],
  });
  expect(await ok(server, "GET /users/count", "/users/count?instance=initech")).toEqual({
    count: 1,
    is_complete: true,
  });
  await ok(server, "GET /users", "/users?instance=initech&query=email:*@initech.test&limit=1");
  await ok(server, "GET /users/:id", `/users/${user.id}`);
  expect((await ok(server, "PATCH /users/:id", `/users/${user.id}`, { name: "Peter G" })).data.name).toBe("Peter G");
  const [session] = await ok(server, "GET /sessions", "/sessions?instance=initech");
  expect((await ok(server, "GET /sessions/count", "/sessions/count?instance=initech")).count).toBe(1);
  const pruned = await ok(server, "POST /sessions/prune", "/sessions/prune", { instance: "initech", before: "90d" });
  expect(pruned).toMatchObject({ deleted: 0, more: false });
  const at = `/sessions/${session.data.session_id}`;
  await ok(server, "GET /sessions/:session_id", at);
  expect((await ok(server, "POST /sessions/:session_id/revoke", `${at}/revoke`)).data.active).toBe(false);
  expect((await ok(server, "POST /sessions/:session_id/restore", `${at}/restore`)).data.active).toBe(true);
  await ok(server, "DELETE /users/:id", `/users/${user.id}`);
  await ok(server, "DELETE /instances/:id", "/instances/initech");

  await ok(server, "POST /personas", "/personas", {
    id: "bo",
    name: "Bo",
    email: "bo@acme.test",
    google: { sub: "77", email_verified: true },
  });
  await ok(server, "GET /personas", "/personas");
  await ok(server, "GET /personas/:id", "/personas/bo");
  await ok(server, "PATCH /personas/:id", "/personas/bo", { twitter: { id: "88", username: "bo" }, google: null });
  const signedIn = await ok(server, "POST /sign-ins", "/sign-ins", { provider: "twitter", as: "bo" });
  await ok(server, "DELETE /personas/:id", "/personas/bo");

  await ok(server, "POST /tokens", "/tokens");
  await ok(server, "POST /tokens/verify", "/tokens/verify", { token: signedIn.token });
  await ok(server, "GET /outcomes", "/outcomes");
  const scenario = await ok(server, "POST /scenarios", "/scenarios", { outcome: "access_denied", label: "one" });
  await ok(server, "GET /scenarios", "/scenarios?pending=true&label=one");
  await ok(server, "DELETE /scenarios/:id", `/scenarios/${scenario.id}`);
  await ok(server, "DELETE /scenarios", "/scenarios");
  await ok(server, "POST /browsers", "/browsers", { label: "one" });
  await ok(server, "GET /clock", "/clock");
  await ok(server, "GET /clock/proof", `/clock/proof?nonce=${"n".repeat(22)}`);
  for (const [verb, body] of [
    ["freeze", { at: "2026-01-01T00:00:00Z" }],
    ["set", { at: "2026-01-02T00:00:00Z" }],
    ["advance", { by: "61m" }],
    ["resume", {}],
    ["reset", undefined],
  ] as const)
    await ok(server, `POST /clock/${verb}`, `/clock/${verb}`, body);
  await ok(server, "POST /snapshots", "/snapshots", { name: "base" });
  await ok(server, "GET /snapshots", "/snapshots");
  await ok(server, "GET /snapshots/:name", "/snapshots/base");
  await ok(server, "POST /snapshots/:name/restore", "/snapshots/base/restore", { instance: "acme" });
  await ok(server, "POST /snapshots/:name/restore", "/snapshots/base/restore");
  await ok(server, "DELETE /snapshots/:name", "/snapshots/base");
  await ok(server, "POST /reset", "/reset", { instance: "acme" });
  await ok(server, "POST /seed", "/seed", { personas: [{ name: "Cy", email: "cy@acme.test" }] });
  await ok(server, "GET /flows", "/flows");
  await ok(server, "GET /flows/:id", `/flows/${signedIn.flow_id}`);
  await ok(server, "GET /flows/summary", "/flows/summary");
  await ok(server, "POST /flows/:id/replay", `/flows/${signedIn.flow_id}/replay`, { provider: "google", as: "ada" });
  const [request] = await ok(server, "GET /requests", "/requests?limit=3");
  await ok(server, "GET /requests/:id", `/requests/${request.id}`);
  await ok(server, "DELETE /dashboard-keys", "/dashboard-keys");
  expect(ROUTES.filter((route) => !called.has(route))).toEqual(CALLED_ELSEWHERE);
}
