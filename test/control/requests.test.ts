import { expect, it } from "vitest";
import { startServer } from "../_control.ts";

it("The requests leave out the dashboard, the control API and a command's probe if the caller asks for that", async () => {
  const server = await startServer();
  for (const path of [
    "/__svc/",
    "/__svc/dashboard.js",
    "/__svc/dashboard.css?v=1",
    "/__svc/openapi.json",
    `/__svc/identity?challenge=${"c".repeat(43)}`,
    "/__svc/identity",
    "/api/v1/users/search",
    "/__svc/health/live",
  ])
    await (await fetch(`${server.url}${path}`)).text();
  const paths = async (query: string): Promise<string[]> => {
    const { body } = await server.control(`GET /requests${query}`);
    return (body as { data: { path: string } }[]).map(({ data }) => data.path);
  };
  const watched = ["/__svc/health/live", "/api/v1/users/search"];
  expect(await paths("?control=false")).toEqual(watched);
  expect(await paths("")).toEqual(
    expect.arrayContaining([...watched, "/__svc/", "/__svc/dashboard.js", expect.stringContaining("/__svc/identity?")]),
  );
});

it("An unknown instance or an unknown after is an error in every list", async () => {
  const server = await startServer();
  for (const list of ["requests", "flows", "users"])
    expect(await server.control(`GET /${list}?instance=nobody`)).toMatchObject({
      status: 404,
      body: {
        error:
          'Instance not found: no instance has the id or subdomain "nobody"; list them with svc instances list or GET /__svc/v1/instances',
      },
    });
  for (const list of ["requests", "flows", "instances", "users"]) {
    const { status, body } = await server.control(`GET /${list}?limit=1&after=00000000-0000-4000-8000-00000000ffff`);
    expect([status, body.error]).toEqual([400, expect.stringContaining("after is neither the id of a record")]);
  }
  expect((await server.control("GET /requests?instance=acme")).status).toBe(200);
});
