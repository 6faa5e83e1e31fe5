import { createServer, type RequestListener } from "node:http";
import express from "express";
import { H3, toNodeHandler } from "h3";
import { describe, expect, expectTypeOf, it } from "vitest";
import { claimsOf, expressAuth, h3Auth, withAuth, type TokenClaims } from "../../src/client/middleware.ts";
import { KEY } from "../_client.ts";
import { portOf } from "../_port-of.ts";
import { ADA } from "../_setup.ts";
import { sign } from "../_tokens.ts";

const OPTIONS = { secretKey: KEY, cookie: "svc" };
const IAT = Math.floor(Date.now() / 1000) - 10;

function tokenFor(name: string, more: object = {}): string {
  return sign(KEY, { iss: "svc", sub: ADA, name, instance_id: "i", iat: IAT, exp: IAT + 3600, ...more });
}

async function listen(listener: RequestListener): Promise<(headers: Record<string, string>) => Promise<Response>> {
  const url = `http://127.0.0.1:${await portOf(createServer(listener))}/me?token=${tokenFor("Address")}`;
  return (headers) => fetch(url, { headers });
}

type Ask = (headers: Record<string, string>) => Promise<Response>;
/** The same small application on each framework: it answers with the user's name. */
const APPLICATIONS: Record<string, () => Promise<Ask>> = {
  express: async () => {
    const app = express();
    app.use(expressAuth(OPTIONS));
    const router = express.Router();
    router.get("/me", (req, res) => void res.json({ name: claimsOf(req).name }));
    app.use(router);
    return listen(app);
  },
  "node:http": () => {
    const guard = expressAuth(OPTIONS);
    return listen((req, res) => {
      void guard(req, res, () => res.end(JSON.stringify({ name: claimsOf(req).name })));
    });
  },
  h3: () => {
    const app = new H3();
    app.use(h3Auth(OPTIONS));
    app.get("/me", (event) => ({ name: claimsOf(event).name }));
    return listen(toNodeHandler(app));
  },
  "a part of h3 mounted in another": () => {
    const part = new H3().get("/me", (event) => ({ name: claimsOf(event.req).name }));
    return listen(toNodeHandler(new H3().use(h3Auth(OPTIONS)).mount("", part)));
  },
  fetch: async () => {
    const handler = withAuth((request: Request, claims, suffix: string) => {
      return Response.json({ name: claims.name + suffix, same: claimsOf(request) === claims });
    }, OPTIONS);
    return (headers) => handler(new Request(`https://app.test/me?token=${tokenFor("Address")}`, { headers }), "");
  },
};

describe.each(Object.entries(APPLICATIONS))("The middleware for %s", (_, start) => {
  it("lets a valid token through and provides its claims", async () => {
    const ask = await start();
    const names = ["Ada", "Grace", "Ada"];
    const answers = await Promise.all(names.map((name) => ask({ authorization: `Bearer ${tokenFor(name)}` })));
    expect(await Promise.all(answers.map(async (answer) => ((await answer.json()) as { name: string }).name))).toEqual(
      names,
    );
    expect(await (await ask({ cookie: `svc=${tokenFor("Ada")}` })).json()).toMatchObject({ name: "Ada" });
  });

  it.each<[what: string, headers: Record<string, string>, challenge: string, error: string]>([
    ["with a token in its address only", {}, 'Bearer realm="svc"', "Missing token"],
    ["with another scheme", { authorization: "Basic eDp5" }, 'Bearer realm="svc"', "Missing token"],
    [
      "with a token that is over",
      { authorization: `Bearer ${tokenFor("Ada", { iat: IAT - 3600, exp: IAT })}` },
      'Bearer realm="svc", error="invalid_token", error_description="Token expired"',
      "Token expired",
    ],
    [
      "with nonsense",
      { authorization: 'Bearer x", evil="' },
      'Bearer realm="svc", error="invalid_token", error_description="Token invalid signature"',
      "Token invalid signature",
    ],
  ])("answers a request %s with 401 and says what to do", async (__, headers, challenge, error) => {
    const ask = await start();
    const answer = await ask(headers);
    expect([answer.status, await answer.json()]).toEqual([401, { error }]);
    expect(["www-authenticate", "content-type", "cache-control"].map((name) => answer.headers.get(name))).toEqual([
      challenge,
      "application/json",
      "no-store",
    ]);
  });
});

describe("The middleware for every framework", () => {
  it.each([
    [undefined],
    [""],
    ["sk_short"],
    ["pk_acme_0123456789abcdefghijklmnopqrstuvwxyz"],
    [[]],
    [[KEY, undefined]],
    [`${KEY}\n`],
    [[KEY, `${KEY} ${KEY}`]],
  ])("rejects the secret key %j when it is created", (key) => {
    const options = { secretKey: key as string };
    for (const make of [
      () => expressAuth(options),
      () => h3Auth(options),
      () => withAuth(() => new Response(), options),
    ])
      expect(make).toThrow(expect.objectContaining({ name: "ConfigError", code: "config" }));
  });

  it("lets a request through h3 1, which gives it no next", async () => {
    const event = { req: { headers: { authorization: `Bearer ${tokenFor("Ada")}` } } };
    expect(await h3Auth(OPTIONS)(event)).toBeUndefined();
    expect(claimsOf(event).name).toBe("Ada");
    expect(await h3Auth(OPTIONS)({ req: { headers: {} } })).toMatchObject({ status: 401 });
  });

  it("gives a handler without types of its own a Request", async () => {
    const handler = withAuth((request) => new Response(new URL(request.url).pathname), OPTIONS);
    expectTypeOf(handler).parameters.toEqualTypeOf<[Request]>();
    expectTypeOf(handler).returns.resolves.toEqualTypeOf<Response>();
    const headers = { authorization: `Bearer ${tokenFor("Ada")}` };
    expect(await (await handler(new Request("http://localhost/me", { headers }))).text()).toBe("/me");
  });

  it.each([[undefined], [null], ["/me"], [{ name: "Ada" }], [{ status: 200 }]])(
    "refuses a handler that returns %j",
    async (answer) => {
      // @ts-expect-error -- the types refuse it, too
      const handler = withAuth(() => answer, OPTIONS);
      const request = new Request("http://localhost/me", { headers: { authorization: `Bearer ${tokenFor("Ada")}` } });
      await expect(handler(request)).rejects.toMatchObject({
        name: "ConfigError",
        message: expect.stringContaining("The handler of withAuth returned no Response") as string,
      });
      expect((await handler(new Request("http://localhost/me"))).status).toBe(401);
    },
  );

  it("is reported as missing when claims are read without it", () => {
    expect(() => claimsOf(new Request("https://app.test"))).toThrow(/has not passed the guard/);
  });

  it("passes on what its handler throws", async () => {
    const handler = withAuth(() => Promise.reject(new Error("mine")), OPTIONS);
    const request = new Request("https://app.test", { headers: { authorization: `Bearer ${tokenFor("Ada")}` } });
    await expect(handler(request)).rejects.toThrow("mine");
  });

  it("fits the frameworks' own types and keeps the type of its handler", async () => {
    expectTypeOf(expressAuth).returns.toExtend<express.RequestHandler>();
    // Fastify's HookHandlerDoneFunction, and Koa's Next.
    type Done = (error?: Error) => void;
    expectTypeOf<Done>().toExtend<Parameters<ReturnType<typeof expressAuth>>[2]>();
    expectTypeOf<() => Promise<unknown>>().toExtend<Parameters<ReturnType<typeof expressAuth>>[2]>();
    const handler = withAuth(async (_: Request, claims, context: { params: { id: string } }) => {
      expectTypeOf(claims).toEqualTypeOf<TokenClaims>();
      return Response.json(context.params.id);
    }, OPTIONS);
    expectTypeOf(handler).parameters.toEqualTypeOf<[request: Request, context: { params: { id: string } }]>();
    expectTypeOf(handler).returns.resolves.toEqualTypeOf<Response>();
    const request = new Request("https://app.test/me", { headers: { authorization: `Bearer ${tokenFor("Ada")}` } });
    expect(await (await handler(request, { params: { id: "7" } })).json()).toBe("7");
  });
});
