import { setTimeout as sleep } from "node:timers/promises";
import { hasHaproxy, startHaproxy } from "../faults/_haproxy.ts";
import { hasPrometheus, startPrometheus, type Prometheus } from "../faults/_prometheus.ts";
import { emailOf, type People } from "./_people.ts";
import { control, PEOPLE, secret, type Whole } from "./_whole.ts";
import type { Unit } from "./_unit.ts";

export interface Watchers {
  readonly prometheus: Prometheus | undefined;
  stop(): Promise<void>;
}

/** Everything that looks at a server while others write: a balancer, Prometheus, readers, searches, an operator at the dashboard. */
export async function startWatchers(whole: Whole): Promise<Watchers> {
  const ports = whole.units.map(({ port }) => port);
  if (hasHaproxy) await startHaproxy(ports);
  const prometheus = hasPrometheus ? await startPrometheus(ports) : undefined;
  const state = { isOver: false };
  const repeat = async (pauseMs: number, look: (unit: Unit) => Promise<void>): Promise<void> => {
    for (let turn = 0; !state.isOver; turn++) {
      await look(whole.units[turn % whole.units.length]!);
      await sleep(pauseMs);
    }
  };
  const running = [
    ...whole.units.map(async (unit) =>
      repeat(500, async () => {
        const ready = await whole.send(unit, "/__svc/health/ready");
        whole.check("ready", ready, ready.status === 200 && /"status":"ready"|"ok"/.test(ready.body));
      }),
    ),
    ...whole.units.map(async (unit) =>
      repeat(1000, async () => {
        const metrics = await whole.send(unit, "/__svc/metrics");
        whole.check("metrics", metrics, metrics.status === 200 && /^svc_ready\{.*\} [01]$/m.test(metrics.body));
        // It is read within half a second, or taken for unavailable.
        const code = /^svc_ready\{code="(.*)"\}/m.exec(metrics.body)?.[1];
        if (metrics.excused.length === 0 && code !== "ok" && code !== "store_unavailable")
          whole.faults.push(`metrics: svc_ready ${code}`);
      }),
    ),
    repeat(100, async (unit) => readList(whole, unit)),
    repeat(100, async (unit) => search(whole, unit)),
    repeat(2000, async (unit) => openDashboard(whole, unit)),
  ];
  return {
    prometheus,
    async stop() {
      state.isOver = true;
      await Promise.all(running);
    },
  };
}

const isList = (body: string): boolean => body.startsWith("[") && body.endsWith("]");

async function readList(whole: Whole, unit: Unit): Promise<void> {
  for (const path of ["/api/v1/users?limit=50", "/api/v1/sessions?limit=50", "/api/v1/users"]) {
    const answer = await whole.send(unit, path, { headers: secret(whole.keys.current) });
    whole.check("list", answer, answer.status === 200 && isList(answer.body));
  }
}

async function search(whole: Whole, unit: Unit): Promise<void> {
  const email = emailOf(Math.floor(Math.random() * PEOPLE));
  for (const [query, most] of [
    [`email:${email}`, 1],
    ["name:*erson*", PEOPLE],
  ] as const) {
    const path = `/api/v1/users/search?${new URLSearchParams({ query }).toString()}`;
    const answer = await whole.send(unit, path, { headers: secret(whole.keys.current) });
    const isRight =
      answer.status === 200 && isList(answer.body) && (JSON.parse(answer.body) as object[]).length <= most;
    whole.check("search", answer, isRight);
  }
}

/** What the dashboard asks when an operator opens it. */
async function openDashboard(whole: Whole, unit: Unit): Promise<void> {
  const page = await whole.send(unit, "/__svc/");
  if (!whole.check("dashboard", page, page.status === 200 && page.body.includes("dashboard.js"))) return;
  const link = await whole.send(unit, "/__svc/v1/dashboard-links", { method: "POST", headers: control(), body: {} });
  if (!whole.check("dashboard", link, link.status === 201)) return;
  const { url } = JSON.parse(link.body) as { url: string };
  const code = new URL(url).hash.replace(/^#(?:\w+=)?/, "");
  const redeemed = await whole.send(unit, "/__svc/v1/dashboard-keys", { method: "POST", body: { code } });
  if (!whole.check("dashboard", redeemed, redeemed.status === 201)) return;
  const { key } = JSON.parse(redeemed.body) as { key: string };
  for (const path of [
    "state",
    "users?limit=50",
    "sessions?limit=50",
    "requests?limit=50",
    "flows?limit=50",
    "flows/summary",
  ]) {
    const answer = await whole.send(unit, `/__svc/v1/${path}`, { headers: control(key) });
    whole.check("dashboard", answer, answer.status === 200);
  }
}

/** A backup beside the servers: everything that was there before it began and stays is in it. */
export async function backUp(whole: Whole, unit: Unit, { held }: People): Promise<void> {
  const before = new Map(held);
  const text = await whole.svc(unit, "store", "export");
  const ids = new Set([...text.matchAll(/"id":"([0-9a-f-]{36})"/g)].map(([, id]) => id));
  for (const [n, id] of before)
    if (typeof id === "string" && held.get(n) === id && !ids.has(id)) whole.faults.push(`not in the backup: p${n}`);
}

/** `svc users list` on the server's machine. */
export async function listUsers(whole: Whole, unit: Unit): Promise<void> {
  const listed = JSON.parse(await whole.svc(unit, "users", "list", "--json")) as object[];
  if (listed.length === 0 || listed.length > PEOPLE) whole.faults.push(`svc users list: ${listed.length} users`);
}

/** A new key for the applications, which are refused with the old one until they have it. */
export async function rotateKey(whole: Whole): Promise<void> {
  const [first] = whole.units;
  const old = whole.keys.current;
  await whole.disturb(async () => {
    const path = "/__svc/v1/instances/acme/keys/rotate";
    const rotated = await whole.send(first!, path, { method: "POST", headers: control(), body: {} });
    if (!whole.check("rotate", rotated, rotated.status === 200)) return;
    whole.keys.current = (JSON.parse(rotated.body) as { secret_key: string }).secret_key;
    await whole.settled();
  }, [401]);
  // By now every server takes the new one, and none the old one.
  for (const unit of whole.units) {
    const refused = await whole.send(unit, "/api/v1/users?limit=1", { headers: secret(old) });
    whole.check("old key", refused, refused.status === 401);
  }
}
