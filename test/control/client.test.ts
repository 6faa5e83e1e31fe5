// Below the faces: the client that dashboard, kit and command share is not exported.

import { createServer } from "node:http";
import { expect, it } from "vitest";
import {
  ControlError,
  createControlClient,
  type ControlClient,
  type ServerEvent,
} from "../../src/control-client/index.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { CONTROL_KEY, FRONT, setup } from "../_setup.ts";
import { ask } from "../_sockets.ts";
import { portOf } from "../_port-of.ts";

async function connected(): Promise<[ControlClient, ControlledServer]> {
  const server = await startServer();
  return [createControlClient({ url: server.url, controlKey: server.control_key! }), server];
}

it("The control client calls routes by name and pages through lists", async () => {
  const [client] = await connected();
  expect((await client.request("GET /instances/:id", { params: { id: "acme" } })).data.subdomain).toBe("acme");
  const { token } = await client.request("POST /sign-ins", { body: { provider: "google", as: "ada" } });
  expect(token).toMatch(/^ey/);
  const first = await client.page("GET /users", { query: { limit: 2 } });
  expect(first.rows).toHaveLength(2);
  const second = await client.page("GET /users", { query: { limit: 100, after: first.next } });
  expect(second.next).toBeUndefined();
  expect(second.rows.map(({ id }) => id)).not.toContain(first.rows[0]!.id);
});

it("The control client hands out all rows of a list, whatever the size of its pages", async () => {
  const [client] = await connected();
  const ids: string[] = [];
  for await (const { id } of client.rows("GET /users", { limit: 2 })) ids.push(id);
  const all = await client.request("GET /users", { query: { limit: 1000 } });
  expect(all.length).toBeGreaterThan(2);
  expect(ids).toEqual(all.map(({ id }) => id));
});

it("The control client throws the server's error, or that there is no server", async () => {
  const [client] = await connected();
  const failure = await client.request("GET /users/:id", { params: { id: "nobody" } }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ControlError);
  expect(failure).toMatchObject({ status: 404, code: "user_not_found", message: "User not found" });
  const nowhere = createControlClient({ url: "http://127.0.0.1:9", controlKey: "ctl_x" });
  await expect(nowhere.request("GET /state")).rejects.toMatchObject({ status: undefined, code: "connection" });
  const controlKey = (): string => {
    throw new Error("There is no key");
  };
  const keyless = createControlClient({ url: "http://127.0.0.1:9", controlKey });
  await expect(keyless.request("GET /state")).rejects.toThrow(/^There is no key$/);
});

it.each([
  [200, "<!doctype html><p>Hello", "unexpected_response", "answered 200, and not as the control API does."],
  [200, "", "unexpected_response", "answered 200, and not as the control API does."],
  [200, '[{"id":"1"', "unexpected_response", "answered 200, and not as the control API does."],
  [200, "null", "unexpected_response", "answered 200, and not as the control API does."],
  [404, "<!doctype html><p>Nothing here", "unexpected_response", "answered 404, and not as the control API does."],
  [302, "", "redirect_refused", "redirected. Not followed, to protect the key."],
])("The control client says of another server's %i %j that it is %s", async (status, body, code, words) => {
  let requests = 0;
  const other = createServer((_, response) => {
    requests++;
    response.writeHead(status, { location: "/elsewhere" }).end(`${body}\n`);
  });
  const url = `http://127.0.0.1:${await portOf(other)}`;
  const client = createControlClient({ url, controlKey: "ctl_x" });
  const calls = [
    client.request("GET /clock"),
    client.page("GET /users"),
    client.rows("GET /users").next(),
    ...(body === "" && status === 200 ? [] : [client.events().next()]),
  ];
  for (const call of calls)
    await expect(call).rejects.toMatchObject({ name: "ControlError", code, status, message: `${url} ${words}` });
  expect(requests).toBe(calls.length);
});

it("Events report requests and each step of a sign-in, and end with the server", async () => {
  const [client, server] = await connected();
  const seen: ServerEvent[] = [];
  const reading = (async () => {
    for await (const event of client.events()) seen.push(event);
  })();
  await expect
    .poll(async () => {
      await client.request("POST /sign-ins", { body: { outcome: "token_error" } });
      return seen.filter(({ resource }) => resource === "flow").length;
    })
    .toBeGreaterThan(2);
  await expect.poll(() => seen.some(({ resource }) => resource === "request")).toBe(true);
  expect(JSON.stringify(seen)).not.toContain(server.control_key);
  await server.close();
  await reading;
});

it("Events are lines of JSON, of the kind that is asked for", async () => {
  const [client, server] = await connected();
  const response = await fetch(`${server.url}/__svc/v1/events?kind=flow`, {
    headers: { authorization: `Bearer ${server.control_key}` },
  });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  await client.request("POST /sign-ins");
  let text = "";
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    if (text.includes("}\n")) break;
  }
  expect(JSON.parse(text.trim().split("\n")[0]!)).toMatchObject({ resource: "flow" });
});

it("Flows can be waited for, including those whose start is refused", async () => {
  const [client, server] = await connected();
  const waiting = client.request("GET /flows", { query: { error: "access_denied", wait: "20s" } });
  await client.request("POST /sign-ins", { body: { outcome: "access_denied" } });
  expect((await waiting)[0]).toMatchObject({
    data: { result: "error", reason: expect.stringContaining("access_denied") },
  });
  await fetch(`${server.url}/oauth/authorize?provider=google&redirect_uri=nonsense`);
  const [refused] = await client.request("GET /flows", { query: { error: "invalid_redirect_uri" } });
  expect(refused).toMatchObject({
    data: {
      result: "error",
      provider: "google",
      redirect_uri: "nonsense",
      steps: [{ name: "begin", sent: { redirect_uri: "nonsense" } }],
    },
  });
  expect(await client.request("GET /flows", { query: { error: "email_not_verified", wait: "50ms" } })).toEqual([]);
});

it("A wait for the sign-ins of a deleted instance ends with the next one, which it does not disturb", async () => {
  const { fetch } = await setup({ control: true });
  const client = createControlClient({ url: FRONT, controlKey: CONTROL_KEY, fetch });
  await client.request("POST /instances", { body: { name: "Gone", subdomain: "gone" } });
  const waiting = client.request("GET /flows", { query: { instance: "gone", wait: "20s" } });
  const ended = expect(waiting).rejects.toMatchObject({ code: "instance_not_found" });
  await client.request("GET /flows");
  await client.request("DELETE /instances/:id", { params: { id: "gone" } });
  expect((await client.request("POST /sign-ins")).token).toMatch(/^ey/);
  await ended;
});

it("The control API is served at the server's own address only, and needs its key there", async () => {
  const [, server] = await connected();
  const headers = ["Authorization", `Bearer ${server.control_key}`];
  const statusAt = async (host: string): Promise<number> =>
    (await ask(server.port, { path: "/__svc/v1/state", host, headers })).status;
  expect(await statusAt(`localhost:${server.port}`)).toBe(200);
  expect(await statusAt(`acme.localhost:${server.port}`)).toBe(404);
  expect(await statusAt(`api.localhost:${server.port}`)).toBe(404);
  expect(await statusAt("rebound.example")).toBe(421);
});

it("The control client reads every form of a Link header, and encodes as the API client does", async () => {
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(url);
    return Response.json([], { headers: { link: "</x?limit=1&after=b%20c>;rel=next;title=x" } }) as never;
  };
  const control = createControlClient({ url: "http://localhost", controlKey: "ctl_x", fetch });
  expect(await control.page("GET /users", { query: { query: "a b", after: undefined } })).toEqual({
    rows: [],
    next: "b c",
  });
  expect(asked).toEqual(["http://localhost/__svc/v1/users?query=a%20b"]);
});
