import { expect, it } from "vitest";
import { errorBody } from "../../src/wire/errors.ts";
import { refusalOfInput } from "../../src/wire/product/inputs.ts";
import { PRODUCT_ROUTES, type Route } from "../../src/wire/product/routes.ts";
import type { RouteDefinition } from "../../src/wire/route.ts";
import { APP, FRONT, SESSION, setup } from "../_setup.ts";

const START = `redirect_uri=${APP}&provider=google`;

/** The error that the schemas of a route give for what is sent to it, in the order in which they are asked. */
function refusal(route: Route, path: string, body?: unknown): unknown {
  const row: RouteDefinition = PRODUCT_ROUTES[route];
  const url = new URL(path, FRONT);
  const names = route.split(" ")[1]!.split("/");
  const params = Object.fromEntries(
    url.pathname.split("/").flatMap((part, i) => (names[i]?.startsWith(":") ? [[names[i].slice(1), part]] : [])),
  );
  const asked = [
    [row.params, params],
    [row.query, Object.fromEntries(url.searchParams)],
    [row.body, body],
  ] as const;
  for (const [schema, input] of asked) {
    const error = schema?.safeParse(input).error;
    if (!schema || !error) continue;
    const { code, detail } = refusalOfInput(schema, error);
    return errorBody(code, detail);
  }
  return undefined;
}

it.each<[Route, string, body?: string]>([
  ["GET /api/v1/users", "/api/v1/users?limit=0"],
  ["GET /api/v1/users", "/api/v1/users?limit=1001"],
  ["GET /api/v1/users", "/api/v1/users?limit=10000"],
  ["GET /api/v1/users", "/api/v1/users?limit="],
  ["GET /api/v1/users", "/api/v1/users?limit=1e2"],
  ["GET /api/v1/users", "/api/v1/users?limit=+5"],
  ["GET /api/v1/users", "/api/v1/users?limit=1.0"],
  ["GET /api/v1/users", "/api/v1/users?limit=-1"],
  ["GET /api/v1/users", "/api/v1/users?limit=ten"],
  ["GET /api/v1/users", "/api/v1/users?limit=0&query=ada"],
  ["GET /api/v1/users", "/api/v1/users?query="],
  ["GET /api/v1/sessions", "/api/v1/sessions?query=active:true"],
  ["GET /api/v1/users/search", "/api/v1/users/search"],
  ["GET /api/v1/users/search", "/api/v1/users/search?query=%20%20&limit=0"],
  ["GET /api/v1/users/search", "/api/v1/users/search?query=emial:ada&limit=0"],
  ["GET /api/v1/users/search", "/api/v1/users/search?query=ada"],
  ["GET /api/v1/users/search", "/api/v1/users/search?query=email:ada&limit=0"],
  ["GET /api/v1/sessions/search", "/api/v1/sessions/search?query=active:perhaps"],
  ["GET /api/v1/instances/search", "/api/v1/instances/search"],
  ["GET /api/v1/instances/search", "/api/v1/instances/search?query=pk_acme_0123456789"],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", ""],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", "{}"],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", "null"],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", "[]"],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", '"token"'],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", '{"token":1}'],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", '{"token":""}'],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", '{"__proto__":{"token":"x"}}'],
  ["GET /sign-in", `/sign-in?${START}&instance=nobody&publishable_key=pk_acme_0123456789`],
  ["GET /oauth/authorize", `/oauth/authorize?${START}&instance=acme&publishable_key=`],
  ["GET /sign-in", "/sign-in?provider=myspace"],
  ["GET /oauth/authorize", "/oauth/authorize?instance=nobody"],
  ["GET /oauth/:provider/callback", "/oauth/google/callback?state=x&code=x&error=x"],
  ["GET /oauth/:provider/callback", "/oauth/myspace/callback?state=x&code=x&error=x"],
])("The schemas of %s refuse %s %s with the error that the service answers", async (route, path, body) => {
  const service = await setup();
  const method = route.split(" ")[0]!;
  const headers = { "content-type": "application/json" };
  const response = await service.as(service.acme, path, { method, headers, ...(body !== undefined && { body }) });
  const error = refusal(route, path, body ? JSON.parse(body) : undefined);
  expect(error).toBeDefined();
  expect(await response.json()).toEqual(error);
});

it.each<[Route, string, body?: unknown]>([
  ["GET /api/v1/users", "/api/v1/users?limit=0001&after=anything&other=x"],
  ["GET /api/v1/users/search", "/api/v1/users/search?query=%20email:*@acme.test%20&limit=1000"],
  ["GET /api/v1/sessions/:id", `/api/v1/sessions/${SESSION.toUpperCase()}`],
  ["GET /api/v1/instances/search", "/api/v1/instances/search?query=x%20publishable_key:pk_acme_0123456789%20y"],
  ["POST /api/v1/tokens/verify", "/api/v1/tokens/verify", { token: " ", other: 1 }],
  // A step of the sign-in refuses what is missing, after it has looked up the instance.
  ["GET /sign-in", "/sign-in?instance=nobody"],
  ["GET /oauth/authorize", "/oauth/authorize?provider=google&instance=nobody"],
  ["GET /oauth/:provider/callback", "/oauth/google/callback"],
])("The schemas of %s accept %s %j", (route, path, body) => {
  expect(refusal(route, path, body)).toBeUndefined();
});

it("The schemas read numbers, ids, searches and keys as the handlers need them", () => {
  const { "GET /api/v1/users/search": search, "GET /api/v1/instances/search": resolve } = PRODUCT_ROUTES;
  expect(search.query.parse({ query: " email:ada@acme.test ", limit: "20" })).toEqual({
    query: [expect.objectContaining({ field: "email" })],
    limit: 20,
  });
  expect(resolve.query.parse({ query: "publishable_key:pk_1 x" })).toEqual({ query: "pk_1" });
  expect(PRODUCT_ROUTES["GET /api/v1/users/:id"].params.parse({ id: "ABC" })).toEqual({ id: "abc" });
  expect(PRODUCT_ROUTES["GET /oauth/authorize"].query.parse({ provider: "google" })).toEqual({
    redirect_uri: "",
    provider: "google",
  });
});
