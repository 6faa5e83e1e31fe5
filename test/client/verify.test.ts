import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { createClient, type Fetch } from "../../src/client/index.ts";
import {
  authenticateRequest,
  type RequestLike,
  checkToken,
  verifyToken,
  type AuthenticateOptions,
} from "../../src/client/verify.ts";
import { KEY } from "../_client.ts";
import { ROOT } from "../_paths.ts";
import { sign as signWith } from "../_tokens.ts";

const NEW_KEY = "sk_next_0123456789abcdefghijklmnopqrstuvwxyz";
const NOW = new Date("2026-06-01T12:00:00Z");
const IAT = NOW.getTime() / 1000 - 60;
const CLAIMS = {
  iss: "svc",
  sub: "00000000-0000-4000-8000-0000000000a1",
  email: "ada@acme.test",
  name: "Ada",
  avatar_url: "",
  provider: "google",
  instance_id: "instance-1",
  app_id: "app-1",
  iat: IAT,
  exp: IAT + 3600,
};

const sign = (claims: object = CLAIMS, key = KEY): string => signWith(key, claims);

const OPTIONS: AuthenticateOptions = { secretKey: KEY, now: () => NOW };
const TOKEN = sign();

describe("A rejected token", () => {
  it.each<[reason: string, code: string, what: string, token: string]>([
    ["missing", "missing_token", "nothing", ""],
    ["missing", "missing_token", "no text", 5 as unknown as string],
    ["instance", "token_wrong_instance", "another instance", sign({ ...CLAIMS, instance_id: "instance-2" })],
    ["claims", "token_invalid", "another application", sign({ ...CLAIMS, app_id: "app-2" })],
    ["lifetime", "token_invalid", "a huge exp", sign({ ...CLAIMS, exp: 2 ** 52 })],
  ])("with the reason %s has the code %s: %s", async (reason, code, _, token) => {
    const result = await checkToken(token, { ...OPTIONS, instanceId: "instance-1", appId: "app-1" });
    expect(result).toMatchObject({ ok: false, error: { name: "TokenError", code, reason } });
  });

  it("says by how much it is from the future", async () => {
    const tokens = [sign({ ...CLAIMS, iat: IAT + 7200, exp: IAT + 10_800 }), sign({ ...CLAIMS, nbf: IAT + 7200 })];
    const messages = await Promise.all(
      tokens.map(async (token) => {
        const result = await checkToken(token, OPTIONS);
        return result.ok ? "valid" : result.error.message;
      }),
    );
    expect(messages[0]).toMatch(
      /^Token invalid: its iat is \d+ seconds ahead of the clock here \(.*Z\)\. Set the clocks/,
    );
    expect(messages[1]).toContain("its nbf is");
  });

  it("is rejected with every key during a rotation, while a valid one is accepted with either", async () => {
    const next = sign(CLAIMS, NEW_KEY);
    for (const token of [TOKEN, next]) {
      for (const secretKey of [
        [KEY, NEW_KEY],
        [NEW_KEY, KEY],
      ])
        expect(await verifyToken(token, { ...OPTIONS, secretKey })).toEqual(CLAIMS);
    }
    expect((await checkToken(TOKEN, { ...OPTIONS, secretKey: [NEW_KEY] })).ok).toBe(false);
  });

  it("is rejected however many keys were used before", async () => {
    for (let index = 0; index < 100; index++) {
      const key = `${KEY}${index}`;
      expect((await checkToken(sign(CLAIMS, key), { ...OPTIONS, secretKey: key })).ok).toBe(true);
      expect((await checkToken(TOKEN, { ...OPTIONS, secretKey: key })).ok).toBe(false);
    }
  });
});

describe("Whitespace around a token", () => {
  it.each([`${TOKEN}\n`, `${TOKEN}\r\n`, ` \t${TOKEN} `])("is refused in an argument: %j", async (token) => {
    const refused = { code: "token_invalid_signature", reason: "signature" };
    await expect(verifyToken(token, OPTIONS)).rejects.toMatchObject(refused);
    expect(await checkToken(token, OPTIONS)).toMatchObject({ ok: false, error: refused });
  });

  it.each([`Bearer ${TOKEN}\n`, `Bearer ${TOKEN} `, `Bearer \t${TOKEN}`])(
    "is not ignored in a header: %j",
    async (authorization) => {
      const state = await authenticateRequest({ headers: { authorization } }, OPTIONS);
      expect(state.status).toBe("signed-out");
    },
  );

  it("is sent to the service, which decides", async () => {
    const bodies: (string | undefined)[] = [];
    const fetch: Fetch = async (_, { body }) => {
      bodies.push(body);
      return Response.json({ valid: false, error: "Token invalid" }, { status: 401 }) as never;
    };
    const { tokens } = createClient({ secretKey: KEY, baseUrl: "https://acme.svc.test", fetch });
    for (const token of [`${TOKEN}\n`, " \n"])
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: "token_invalid", reason: undefined });
    expect(bodies).toEqual([`${TOKEN}\n`, " \n"].map((token) => JSON.stringify({ token })));
  });
});

describe("Authenticating a request", () => {
  const expired = sign({ ...CLAIMS, iat: IAT - 3600, exp: IAT });
  type Row = [what: string, headers: Record<string, string>, status: string, detail: string];
  const rows: Row[] = [
    ["with a valid token", { authorization: `Bearer ${TOKEN}` }, "signed-in", "header"],
    ["with a scheme in another case", { authorization: `bEARER  ${TOKEN}` }, "signed-in", "header"],
    ["with a cookie", { cookie: `a=b; svc=${TOKEN}; c=d` }, "signed-in", "cookie"],
    [
      "with a cookie beside another scheme",
      { authorization: "Basic eDp5", cookie: `svc=${TOKEN}` },
      "signed-in",
      "cookie",
    ],
    ["with nothing", {}, "signed-out", "missing_token"],
    ["with another scheme", { authorization: "Basic eDp5" }, "signed-out", "missing_token"],
    ["with a token and no scheme", { authorization: TOKEN }, "signed-out", "missing_token"],
    ["with a cookie of a longer name", { cookie: `xsvc=${TOKEN}; svc2=${TOKEN}` }, "signed-out", "missing_token"],
    ["with a scheme and no token", { authorization: "Bearer" }, "signed-out", "token_invalid_signature"],
    ["with two tokens", { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }, "signed-out", "token_invalid_signature"],
    ["with a token that is over", { authorization: `Bearer ${expired}` }, "signed-out", "token_expired"],
    [
      "with an invalid token and a valid cookie",
      { authorization: "Bearer x", cookie: `svc=${TOKEN}` },
      "signed-out",
      "token_invalid_signature",
    ],
    ["with two cookies of the name", { cookie: `svc=${TOKEN}; svc=${TOKEN}` }, "signed-out", "token_invalid_signature"],
    ["with a cookie in quotes", { cookie: `svc="${TOKEN}"` }, "signed-out", "token_invalid_signature"],
  ];

  it.each(rows)("%s (%j) gives %s: %s", async (_, headers, status, detail) => {
    const options = { ...OPTIONS, cookie: "svc" };
    const url = `https://app.test/?token=${TOKEN}`;
    const states = [
      await authenticateRequest(new Request(url, { headers }), options),
      await authenticateRequest({ headers }, options),
    ];
    for (const state of states) {
      expect(state.status).toBe(status);
      expect(state.status === "signed-in" ? state.via : state.error.code).toBe(detail);
    }
  });

  it("ignores a cookie that was not named", async () => {
    const state = await authenticateRequest({ headers: { cookie: `svc=${TOKEN}` } }, OPTIONS);
    expect(state).toMatchObject({ status: "signed-out", error: { code: "missing_token", reason: "missing" } });
  });

  it.each([
    ["of a gateway that keeps capitals", { Authorization: `Bearer ${TOKEN}` }],
    ["with a cookie in capitals", { Cookie: `svc=${TOKEN}` }],
    ["whose cookies are in a list", { cookie: ["a=b", `svc=${TOKEN}`] }],
  ])("reads the headers of a function's event %s", async (_, headers) => {
    const state = await authenticateRequest({ headers }, { ...OPTIONS, cookie: "svc" });
    expect(state.status).toBe("signed-in");
  });

  it("takes null for no headers, and says what to pass instead of a framework's own context", async () => {
    const request = (headers: unknown): RequestLike => ({ headers }) as RequestLike;
    expect(await authenticateRequest(request(null), OPTIONS)).toMatchObject({ error: { reason: "missing" } });
    for (const wrong of [request(undefined), undefined as unknown as RequestLike])
      await expect(authenticateRequest(wrong, OPTIONS)).rejects.toThrow(
        "The request has no headers. Pass a Request or Node's own, such as c.req.raw in Hono",
      );
  });

  it("accepts a header named get", async () => {
    const state = await authenticateRequest({ headers: { get: "x", authorization: `Bearer ${TOKEN}` } }, OPTIONS);
    expect(state).toMatchObject({ status: "signed-in", claims: CLAIMS, token: TOKEN });
  });
});

describe("The modules svc-identity/verify, svc-identity/sign-in and svc-identity/middleware", () => {
  it.each(["verify", "sign-in", "middleware"])(
    "import jose only and nothing of Node.js, so that %s runs at the edge",
    async (entry) => {
      const { outputFiles, metafile } = await build({
        entryPoints: [join(ROOT, `src/client/${entry}.ts`)],
        bundle: true,
        write: false,
        metafile: true,
        platform: "neutral",
        mainFields: ["module", "main"],
        conditions: ["workerd"],
        format: "esm",
        external: ["node:*"],
      });
      const packages = Object.keys(metafile.inputs).flatMap(
        (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
      );
      expect([...new Set(packages)]).toEqual(["jose"]);
      expect(metafile.outputs[Object.keys(metafile.outputs)[0]!]!.imports).toEqual([]);
      expect(outputFiles[0]!.text).not.toMatch(/\bprocess\.|\bBuffer\b|require\(/);
    },
  );

  it("are exports of the package, each with its types", async () => {
    const { exports } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
      exports: Record<string, string | { types: string; default: string }>;
    };
    const entries = Object.entries(exports).filter(([, target]) => typeof target === "object");
    const testing = ["./testing", "./testing/vitest", "./testing/playwright"];
    expect(entries.map(([name]) => name)).toEqual([
      ".",
      "./verify",
      "./sign-in",
      "./middleware",
      "./server",
      ...testing,
    ]);
    for (const [name, target] of entries)
      expect(Object.keys(target)).toEqual(["types", ...(name === "." ? ["node"] : []), "default"]);
  });
});

it.each([Date, () => undefined, () => "2026-06-01T12:00:00Z", () => Number.NaN])(
  "A now that returns no time is refused, since no token would ever expire by it",
  async (now) => {
    const old = sign({ iat: IAT - 7200, exp: IAT - 3600 });
    const message = "now must return a Date or milliseconds since 1970, as Date.now and () => new Date() do";
    await expect(checkToken(old, { secretKey: KEY, now: now as never })).rejects.toMatchObject({
      code: "config",
      message,
    });
  },
);

it("A whole header in the place of its token is refused with what to pass instead, locally and by a client", async () => {
  const why = "Token invalid signature: it begins with Bearer. Pass what comes after that";
  const local = await checkToken(`Bearer ${TOKEN}`, OPTIONS);
  const remote = await createClient({ secretKey: KEY, baseUrl: "http://localhost:1" }).tokens.check(`Bearer ${TOKEN}`);
  for (const { error } of [local, remote] as { error: Error }[])
    expect(error).toMatchObject({ message: why, reason: "signature" });
});
