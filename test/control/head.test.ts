import { expect, it } from "vitest";
import { startServer } from "../_control.ts";

it("The control API answers HEAD as GET without a body, an endless stream at once, and needs the key", async () => {
  const server = await startServer();
  const user = (await server.control("GET /users?limit=1")).body[0].id as string;
  const head = (path: string, key = server.control_key): Promise<Response> =>
    fetch(`${server.url}/__svc/v1${path}`, { method: "HEAD", headers: { authorization: `Bearer ${key}` } });
  for (const path of ["/state", "/users?limit=1", `/users/${user}`, "/instances", "/events"]) {
    const response = await head(path);
    expect([path, response.status, await response.text()]).toEqual([path, 200, ""]);
  }
  const get = await server.control("GET /instances");
  expect((await head("/instances")).headers.get("content-length")).toBe(get.headers.get("content-length"));
  expect((await head("/users?limit=1")).headers.get("link")).toContain('rel="next"');
  expect((await head("/users/nobody")).status).toBe(404);
  expect((await head("/state", "ctl_wrong")).status).toBe(401);
  const refused = await head("/reset");
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
  const wrong = await server.control("PUT /users");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
});
