import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { ServeOptions } from "../../src/server/index.ts";
import { decodePart } from "../_setup.ts";
import { Service } from "./_service.ts";
import {
  action,
  at,
  Model,
  SESSION_SEARCHES,
  TENANTS,
  USER_SEARCHES,
  type Action,
  type TenantName,
} from "./_service-model.ts";

const APP = "http://localhost:3000/callback";
/** The same histories each time. Others, and more of them: SVC_MODEL_SEED=… SVC_MODEL_RUNS=… */
const SEED = Number(process.env["SVC_MODEL_SEED"] ?? 53);
const RUNS = Number(process.env["SVC_MODEL_RUNS"] ?? 0);

/** A busy machine may need minutes for what takes seconds. */
const PATIENCE = { timeout: 600_000 };

type Row = { id: string; data: Record<string, unknown> };

/** A service that runs, and the callbacks of the sign-ins that were begun. */
class Real {
  readonly service: Service;
  readonly callbacks: string[] = [];

  constructor(service: Service) {
    this.service = service;
  }

  /** A whole list, or its pages one by one. */
  async list(model: Model, name: TenantName, path: string, limit?: number): Promise<Row[]> {
    const rows: Row[] = [];
    let next: string | undefined = `/api/v1${path}${limit === undefined ? "" : `&limit=${limit}`}`;
    while (next !== undefined) {
      const told: Awaited<ReturnType<Service["ask"]>> = await this.service.ask(next, { key: model.key(name) });
      expect([next, told.status]).toEqual([next, 200]);
      rows.push(...told.body);
      ({ next } = told);
    }
    return rows;
  }
}

/** Both instances have what the model has, in its order. */
async function agree(model: Model, real: Real): Promise<void> {
  for (const name of TENANTS) {
    const users = await real.list(model, name, "/users");
    expect(
      users.map(({ id, data }) => [id, data["email"], data["name"], data["email_verified"], data["providers"]]),
    ).toEqual(
      model
        .users(name)
        .map((own) => [own.id, own.email, own.name, own.verified !== null, model.providers(name, own.id)]),
    );
    const sessions = await real.list(model, name, "/sessions");
    expect(
      sessions.map(({ data }) => ({
        id: data["session_id"],
        user: data["user_id"],
        provider: data["provider"],
        ip: data["ip_address"],
        last: data["last_signin_at"],
        revoked: data["revoked_at"],
      })),
    ).toEqual(model.sessions(name));
  }
}

/** From the application to the callback that the provider sends the user to. */
async function begin(model: Model, real: Real, { tenant, account, ip }: Of<"begin" | "sign in">): Promise<number> {
  const query = new URLSearchParams({ provider: account.provider, redirect_uri: APP, login_hint: account.as });
  const atProvider = await real.service.ask(`/oauth/authorize?${query.toString()}`, { at: tenant, from: ip });
  const { pathname, search } = new URL(atProvider.location!);
  const back = new URL((await real.service.ask(pathname + search, { from: ip })).location!);
  model.begun.push({ tenant, account, ip, time: model.time, isOpen: true });
  return real.callbacks.push(back.pathname + back.search) - 1;
}

async function finish(model: Model, real: Real, n: number): Promise<void> {
  const begun = model.begun[n]!;
  const { tenant, ip } = begun;
  const key = model.key(tenant);
  const told = await real.service.ask(real.callbacks[n]!, { from: ip });
  const end = new URL(told.location ?? "about:blank").searchParams;
  const text = end.get("token");
  const user = text === null ? "" : String(decodePart(text, 1)["sub"]);
  const known = model.tenants[tenant].sessions.map(({ id }) => id);
  const found = await real.list(model, tenant, "/sessions");
  const [session = ""] = found.map(({ data }) => String(data["session_id"])).filter((id) => !known.includes(id));
  const ended = model.finish(begun, { user, session });
  if (ended === undefined) expect([told.status, told.body]).toEqual([400, { error: "Invalid or expired state" }]);
  else if ("error" in ended) expect(end.get("error")).toBe(ended.error);
  else {
    expect(user).toBe(ended.user.id);
    model.tokens.push({ text: text!, tenant, key, user, time: model.time });
  }
}

type Of<Kind extends Action["kind"]> = Omit<Extract<Action, { kind: Kind }>, "kind">;
type Does = { readonly [Kind in Action["kind"]]: (model: Model, real: Real, now: Of<Kind>) => Promise<void> };

function chosen<One>(all: readonly One[], nth: number): One | undefined {
  return all[nth % Math.max(all.length, 1)];
}

const DOES: Does = {
  async "sign in"(model, real, now) {
    const begun: number[] = [];
    for (let n = 0; n < now.times; n++) begun.push(await begin(model, real, now));
    for (const n of begun) await finish(model, real, n);
  },

  async begin(model, real, now) {
    await begin(model, real, now);
  },

  /** Also one that is finished, or has waited too long. */
  async finish(model, real, { nth }) {
    if (model.begun.length > 0) await finish(model, real, nth % model.begun.length);
  },

  async wait(model, _, { seconds }) {
    model.time += seconds;
  },

  async verify(model, { service }, { tenant, nth }) {
    const token = chosen(model.tokens.toReversed(), nth);
    if (!token) return;
    const asked = { method: "POST", key: model.key(tenant), body: { token: token.text } };
    const { status, reason, body } = await service.ask("/api/v1/tokens/verify", asked);
    expect(reason ?? status).toBe(model.verdict(tenant, token));
    if (status === 200) expect(body.id).toBe(token.user);
  },

  async search(model, real, { tenant, nth, limit }) {
    const [query, matches] = chosen(USER_SEARCHES, nth)!;
    const users = await real.list(model, tenant, `/users/search?query=${encodeURIComponent(query)}`, limit);
    expect([query, users.map(({ id }) => id)]).toEqual([
      query,
      model
        .users(tenant)
        .filter((user) => matches(user, model.providers(tenant, user.id)))
        .map(({ id }) => id),
    ]);
    const [own, isFound] = chosen(SESSION_SEARCHES, nth)!;
    const sessions = await real.list(model, tenant, `/sessions/search?query=${encodeURIComponent(own)}`, limit);
    expect([own, sessions.map(({ data }) => data["session_id"])]).toEqual([
      own,
      model
        .sessions(tenant)
        .filter(isFound)
        .map(({ id }) => id),
    ]);
  },

  async revoke(model, { service }, { tenant, nth }) {
    const session = chosen(model.sessions(tenant), nth);
    if (!session) return;
    const { status } = await service.control("POST", `/sessions/${session.id}/revoke?instance=${tenant}`);
    expect(status).toBe(200);
    session.revoked ??= at(model.time);
  },

  async "restore session"(model, { service }, { tenant, nth }) {
    const session = chosen(model.sessions(tenant), nth);
    if (!session) return;
    const { status } = await service.control("POST", `/sessions/${session.id}/restore?instance=${tenant}`);
    expect(status).toBe(200);
    session.revoked = null;
  },

  /** By the instance that has it, and by the other, where it may have the same id. */
  async delete(model, { service }, { tenant, nth, times }) {
    const user = chosen(model.users(tenant), nth);
    if (!user) return;
    const path = `/api/v1/users/${user.id}`;
    expect((await service.ask(path, { key: model.key(tenant) })).body.data.email).toBe(user.email);
    const asked = { method: "DELETE", key: model.key(tenant) };
    const answers = await Promise.all(Array.from({ length: times }, () => service.ask(path, asked)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404].slice(0, times));
    model.delete(tenant, user.id);
    const other = tenant === "acme" ? "globex" : "acme";
    const isThere = model.users(other).some(({ id }) => id === user.id);
    expect((await service.ask(path, { key: model.key(other) })).status).toBe(isThere ? 200 : 404);
  },

  /** With an id and an address that the other instance may have, and this one may have not. */
  async create(model, { service }, { tenant, n }) {
    const { body, isTaken } = model.create(tenant, n);
    expect((await service.control("POST", "/users", body)).status).toBe(isTaken ? 409 : 201);
  },

  async move(model, { service }, { tenant, nth }) {
    const user = chosen(model.users(tenant), nth);
    if (!user) return;
    const email = `moved${model.time}@acme.test`;
    const { status } = await service.control("PATCH", `/users/${user.id}?instance=${tenant}`, { email });
    expect(status).toBe(200);
    Object.assign(user, { email, verified: null });
  },

  async prune(model, { service }, { tenant, seconds }) {
    const before = at(model.time - seconds);
    const { sessions } = model.tenants[tenant];
    const kept = sessions.filter(({ last, revoked }) => last >= before || (revoked ?? "") >= before);
    const { body } = await service.control("POST", "/sessions/prune", { instance: tenant, before });
    expect(body).toMatchObject({ deleted: sessions.length - kept.length });
    model.tenants[tenant].sessions = kept;
  },

  /** The key that was replaced opens nothing from then on, at any server. */
  async rotate(model, { service }, { tenant, kept }) {
    const key = model.key(tenant);
    const keep = kept === 0 ? {} : { keep_old: `${kept}s` };
    const { body } = await service.control("POST", `/instances/${tenant}/keys/rotate`, keep);
    model.rotate(tenant, body.secret_key, kept);
    for (const server of [0, 1]) expect((await service.ask("/api/v1/users", { key, server })).status).toBe(401);
  },

  async snapshot(model, { service }) {
    expect((await service.control("POST", "/snapshots", { name: "saved" })).status).toBe(201);
    model.snapshot = structuredClone(model.tenants);
  },

  async undo(model, { service }, { tenant }) {
    const { status } = await service.control("POST", "/snapshots/saved/restore", { instance: tenant });
    expect(status).toBe(model.snapshot ? 200 : 404);
    if (model.snapshot) model.restore(tenant);
  },

  async restart(_, { service }, { crashes }) {
    if (crashes) return service.crash();
    await service.stop();
    await service.start();
  },
};

class Step implements fc.AsyncCommand<Model, Real> {
  readonly action: Action;

  constructor(now: Action) {
    this.action = now;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    // No two things happen at one time, so that every list has one order.
    model.time += 1;
    await DOES[this.action.kind](model, real, this.action as never);
    await agree(model, real);
  }

  toString(): string {
    return JSON.stringify(this.action);
  }
}

/**
 * What the specification says of a whole service, over HTTP: whatever is done in whatever order, it answers and has what the
 * model has.
 * @param options of servers on a new and empty store
 */
export function testService(
  name: string,
  options: () => Promise<ServeOptions>,
  { servers, histories, steps: maxCommands }: { servers: number; histories: number; steps: number },
): void {
  it(`A service (${name}) does what a list of records does, restarted and crashed in between`, PATIENCE, async () => {
    const commands = fc.commands([action.map((now) => new Step(now))], { maxCommands, size: "max" });
    const run = async (steps: Iterable<fc.AsyncCommand<Model, Real>>): Promise<void> => {
      const model = new Model();
      const service = new Service({ ...(await options()), now: () => new Date(at(model.time)) }, servers);
      await service.start(model.seed as ServeOptions["seed"]);
      try {
        for (const user of model.newUsers) await service.control("POST", "/users", user);
        await fc.asyncModelRun(() => ({ model, real: new Real(service) }), steps);
      } finally {
        await service.stop();
      }
    };
    await fc.assert(fc.asyncProperty(commands, run), { seed: SEED, numRuns: RUNS || histories });
  });
}
