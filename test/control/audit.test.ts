import { expect, it, vi } from "vitest";
import type { AuditEntry, RequestEntry, ServeOptions } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { useIpv4First } from "../_ipv4-first.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { callEveryRoute, ROUTES } from "./_every-route.ts";

useIpv4First();

/** What changes no record of an application, and no key, and why. */
const UNAUDITED: readonly (readonly [routes: RegExp, why: string])[] = [
  [/ \/(?:personas|scenarios|browsers|instances\/:id\/clients)/, "plays the providers and their users"],
  [/ \/clock\//, "moves the time of a development server"],
  [/ \/(?:sign-ins|flows\/:id\/replay)$/, "is a sign-in, which svc logs shows"],
  [
    / \/(?:tokens|tokens\/verify|instances\/:id\/reveal|instances\/:id\/connections\/:provider\/test)$/,
    "reads, or signs a token",
  ],
  [/ \/snapshots$/, "copies records"],
  [/^POST \/dashboard-/, "opens the dashboard"],
];

interface Audited {
  readonly server: ControlledServer;
  readonly audit: AuditEntry[];
  readonly requests: RequestEntry[];
}

async function audited(options: ServeOptions = {}): Promise<Audited> {
  const audit: AuditEntry[] = [];
  const requests: RequestEntry[] = [];
  const server = await startServer({
    ...options,
    onAudit: (entry) => audit.push(entry),
    onRequest: (entry) => requests.push(entry),
  });
  return { server, audit, requests };
}

it("Each route that changes records or keys leaves one entry of the audit log", async () => {
  const { server, audit, requests } = await audited();
  await callEveryRoute(server);
  const routes = new Map(requests.map(({ request_id, method, route }) => [request_id, `${method} ${route}`]));
  const seen = audit.map(({ action, request_id, instance, id, count, address, key }) => {
    const one = /^[0-9a-f-]{36}$/.test(id ?? "") || id?.startsWith("svc_session_") ? "its id" : id;
    expect([address, key]).toEqual(["127.0.0.1", "control"]);
    return [routes.get(request_id!)?.replace("/__svc/v1", ""), action, instance, one, count];
  });
  expect(seen).toEqual([
    ["POST /instances", "instance_created", "initech", "its id", 1],
    ["PATCH /instances/:id", "instance_changed", "initech", "its id", 1],
    ["POST /instances/:id/keys/rotate", "keys_replaced", "initech", null, 1],
    ["DELETE /instances/:id/keys/old", "old_keys_revoked", "initech", null, 1],
    ["PUT /instances/:id/connections/:provider", "connection_changed", "initech", "google", 1],
    ["DELETE /instances/:id/connections/:provider", "connection_deleted", "initech", "google", 1],
    ["POST /users", "user_created", "initech", "its id", 1],
    ["PATCH /users/:id", "user_changed", "initech", "its id", 1],
    ["POST /sessions/prune", "sessions_pruned", "initech", null, 0],
    ["POST /sessions/:session_id/revoke", "session_revoked", "initech", "its id", 1],
    ["POST /sessions/:session_id/restore", "session_restored", "initech", "its id", 1],
    ["DELETE /users/:id", "user_deleted", "initech", "its id", 1],
    ["DELETE /instances/:id", "instance_deleted", "initech", "its id", 1],
    ["POST /snapshots/:name/restore", "snapshot_restored", "acme", "base", 5],
    ["POST /snapshots/:name/restore", "snapshot_restored", null, "base", 6],
    ["DELETE /snapshots/:name", "snapshot_deleted", null, "base", 1],
    ["POST /reset", "records_reset", "acme", null, 5],
    ["POST /seed", "records_imported", null, null, 0],
    ["DELETE /dashboard-keys", "dashboard_keys_revoked", null, null, 1],
  ]);
  const noted = new Set(seen.map(([route]) => route));
  const silent = ROUTES.filter((route) => !route.startsWith("GET ") && !noted.has(route));
  expect(silent.filter((route) => !UNAUDITED.some(([silentRoutes]) => silentRoutes.test(route)))).toEqual([]);
});

it("A deletion names the instance, and of the secret key no more than its last four characters", async () => {
  const { server, audit, requests } = await audited();
  const [instance] = server.instances;
  const { user_id: id } = (await server.control("POST /sign-ins", { provider: "google" })).body;
  const remove = async (): Promise<Response> =>
    fetch(`${server.url}/api/v1/users/${id}`, {
      method: "DELETE",
      headers: { "x-service-secret-key": instance!.secret_key },
    });
  const removed = await remove();
  expect([removed.status, (await remove()).status]).toEqual([200, 404]);
  const request_id = removed.headers.get("request-id");
  expect(requests.filter((entry) => entry.request_id === request_id)).toMatchObject([{ method: "DELETE" }]);
  const key = instance!.secret_key.slice(-4);
  const { subdomain } = instance!;
  expect(audit).toEqual([
    { action: "user_deleted", instance: subdomain, id, count: 1, request_id, address: "127.0.0.1", key },
  ]);
});

it("What retention deletes is an entry for each instance", async () => {
  const session = (days: number) => ({
    provider: "google" as const,
    last_signin_at: new Date(Date.now() - days * 86_400_000).toISOString(),
  });
  const instance = (subdomain: string, days: readonly number[]) => ({
    name: subdomain,
    subdomain,
    users: [{ name: "Ada", email: "ada@acme.test", sessions: days.map(session) }],
  });
  const seed = { instances: [instance("acme", [20]), instance("globex", [95]), instance("initech", [95, 95])] };
  const { audit } = await audited({ seed, retention: { sessions: "90d" } });
  const entry = { action: "sessions_pruned", id: null, request_id: null, address: null, key: "retention" };
  await vi.waitFor(() =>
    expect(audit).toEqual([
      { ...entry, instance: "globex", count: 1 },
      { ...entry, instance: "initech", count: 2 },
    ]),
  );
});

it("A start with --reset is an entry, if there was anybody to delete", async () => {
  const store = `${temporaryDirectory()}/db.json`;
  const first = await audited({ store, reset: true });
  expect((await first.server.control("POST /sign-ins", { provider: "github" })).status).toBe(201);
  await first.server.close();
  expect(first.audit).toEqual([]);
  const second = await audited({ store, reset: true });
  expect(second.audit).toMatchObject([
    { action: "records_reset", instance: null, count: 5, request_id: null, address: null, key: "start" },
  ]);
});
