import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { TokenError } from "../../src/client/index.ts";
import { checkToken } from "../../src/client/verify.ts";
import { ERRORS } from "../../src/wire/errors.ts";
import { TOKEN_PROBLEMS } from "../../src/wire/claims.ts";
import { ADA, ADA_OF_GLOBEX, NOBODY, setup } from "../_setup.ts";
import { claimsOf, NOW, sign, verify, type Instance } from "../_tokens.ts";

/** `SVC_TOKEN_RUNS=30000` compares that many tokens, and prints how many had which result. */
const RUNS = Number(process.env["SVC_TOKEN_RUNS"] ?? 1000);

const times = fc.oneof(
  fc
    .constantFrom(-3661, -3660, -3600, -61, -1, 0, 1, 59, 60, 61, 3599, 3600, 3601, 3660, 3661, 86_400)
    .map((n) => NOW + n),
  fc.integer({ min: NOW - 4000, max: NOW + 8000 }),
  fc.constantFrom(0, -1, -0, NOW + 0.5, 2 ** 53, -(2 ** 53), 1e300),
);
const others = fc.constantFrom<unknown>(undefined, null, true, "", "x", 0, 5, [], {}, ["svc"], String(NOW + 60));
/** What is good, or sometimes something else: a token has more than one fault only now and then. */
const mostly = (good: unknown[], bad: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good) },
    { weight: 2, arbitrary: bad },
    { weight: 1, arbitrary: others },
  );

/** What differs from the claims of a sign-in. A claim that is undefined is left out. */
const claims = fc.record({
  iss: mostly(["svc", undefined], fc.constantFrom("SVC", "svc ", "https://evil.example")),
  sub: mostly([ADA, NOBODY, ADA_OF_GLOBEX, "ada"], fc.constantFrom("", `${ADA}\0`, "\ud800", ADA.toUpperCase())),
  instance_id: mostly(["acme"], fc.constantFrom("globex", "ACME")),
  iat: mostly([NOW, undefined, NOW - 1, NOW - 3599, NOW + 60], times),
  exp: mostly([NOW + 1, NOW + 2, NOW + 60, NOW + 3600], times),
  nbf: mostly([undefined], times),
  email: mostly([undefined], others),
  provider: mostly([undefined], others),
  extra: mostly([undefined], fc.anything()),
});

const PLAIN = { alg: "HS256", typ: "JWT" };
const headers = fc.oneof(
  { weight: 12, arbitrary: fc.constant<unknown>(PLAIN) },
  {
    weight: 3,
    arbitrary: fc
      .record(
        {
          alg: mostly(["HS256"], fc.constantFrom("hs256", "HS384", "HS512", "RS256", "none", "HS256 ")),
          typ: mostly(["JWT", "jwt", "Jwt"], fc.constantFrom("at+jwt", "JWT ", "JOSE")),
          crit: mostly([undefined], fc.constantFrom<unknown>(["exp"], ["b64"], [])),
          b64: others,
          kid: others,
          jwk: others,
        },
        { requiredKeys: [] },
      )
      .map((changes) => ({ ...PLAIN, ...changes })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>("", "{", "[]", "null", "5", '{"alg":"HS256","alg":"none"}', "\ufeff{}"),
  },
);

/** The claims as they are written: JSON, JSON with a number that JavaScript can't hold, or something else. */
const writings = fc.oneof(
  { weight: 12, arbitrary: fc.constant((json: string) => json) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<((json: string) => string)[]>(
      (json) => json.replace(/"exp":[^,}]+/, '"exp":1e999'),
      (json) => json.replace(/"exp":[^,}]+/, '"exp":-1e999'),
      (json) => json.replace("{", '{"exp":1,"instance_id":"x",'),
      (json) => json.replace("{", '{"__proto__":{"sub":"x"},'),
      (json) => ` ${json}\n`,
      (json) => `\ufeff${json}`,
      (json) => json.slice(1),
      (json) => `[${json}]`,
      () => "",
      () => "null",
    ),
  },
);

const LETTERS = [
  "A",
  "Q",
  "g",
  "w",
  "0",
  "4",
  "8",
  "_",
  "-",
  "a",
  "Z",
  ".",
  "=",
  "+",
  "/",
  " ",
  "\n",
  "\t",
  "é",
  "\0",
  "\ufeff",
  "\ud800",
  "%",
  '"',
];
/** A change of the text itself: some characters removed and some added, at a place counted from either end. */
const edits = fc.record({
  at: fc.oneof(fc.nat(600), fc.integer({ min: -50, max: 0 }), fc.constant(0)),
  removed: fc.nat(2),
  added: fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 2 }),
});
const texts = fc.constantFrom<((token: string) => string)[]>(
  (token) => `${token}\n`,
  (token) => ` ${token}`,
  (token) => `Bearer ${token}`,
  (token) => token.slice(0, token.lastIndexOf(".") + 1),
  (token) => token.slice(0, token.lastIndexOf(".")),
  (token) => `${token}.x`,
  (token) => token.split(".").toReversed().join("."),
  (token) => token.replaceAll("_", "/").replaceAll("-", "+"),
  (token) => token.toUpperCase(),
  (token) => token + "x".repeat(8192),
  () => "",
);

const tokens = fc.record({
  claims,
  header: headers,
  write: writings,
  hash: fc.oneof({ weight: 12, arbitrary: fc.constant("sha256") }, fc.constantFrom("sha384", "sha512")),
  key: fc.oneof({ weight: 12, arbitrary: fc.constant("acme") }, fc.constantFrom("globex", "publishable", "empty")),
  text: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.array(edits, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: texts },
  ),
});
type Wanted = typeof tokens extends fc.Arbitrary<infer Value> ? Value : never;

function tokenOf(
  { claims: changes, header, write, hash, key, text }: Wanted,
  acme: Instance,
  globex: Instance,
): string {
  const ids: Record<string, string> = { acme: acme.id, globex: globex.id, ACME: acme.id.toUpperCase() };
  const named = changes.instance_id;
  const id = typeof named === "string" && named in ids ? { instance_id: ids[named] } : {};
  const json = JSON.stringify(claimsOf(acme, { ...changes, ...id }), (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const secret = { acme: acme.secret_key, globex: globex.secret_key, publishable: acme.publishable_key, empty: "" }[
    key
  ]!;
  const token = sign(secret, write(json), header, hash);
  if (typeof text === "function") return text(token);
  return (text ?? []).reduce((left, { at, removed, added }) => {
    const start = at < 0 ? Math.max(0, left.length + at) : Math.min(at, left.length);
    return left.slice(0, start) + added + left.slice(start + removed);
  }, token);
}

it("The service and svc-identity/verify agree about every changed token", { timeout: 60_000 + RUNS * 20 }, async () => {
  const service = await setup();
  const { acme, globex, clock } = service;
  const client = service.client(acme, { now: () => clock.now().getTime() });
  const options = { secretKey: acme.secret_key, instanceId: acme.id, now: clock.now };
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(tokens, async (wanted) => {
      const token = tokenOf(wanted, acme, globex);
      const response = await verify(service, acme, { token });
      const body = (await response.json()) as { id?: string; error?: string };
      const told = response.headers.get("svc-reason") ?? (response.status === 400 ? "missing" : "valid");
      counts.set(told, (counts.get(told) ?? 0) + 1);

      const result = await checkToken(token, options);
      expect(result.ok ? "valid" : result.error.reason).toBe(told);
      if (result.ok) {
        // Whether there is such a user is all that the key alone does not know.
        const isThere = result.claims.sub === ADA;
        expect([response.status, body.id ?? body.error]).toEqual(isThere ? [200, ADA] : [404, "User not found"]);
      } else {
        const { status, error } = ERRORS[result.error.code as keyof typeof ERRORS];
        expect([response.status, body.error]).toEqual([status, error]);
        expect(result.error.error).toBe(error);
      }
      // A client knows its key, but not the instance that the key belongs to.
      if (told === "instance") return;
      const local = await client.tokens.verifyLocal(token).then(
        () => "valid",
        ({ reason }: TokenError) => reason,
      );
      expect(local).toBe(told);
    }),
    { numRuns: RUNS },
  );
  expect(service.log.bugs).toEqual([]);
  expect([...counts.keys()].toSorted()).toEqual([...TOKEN_PROBLEMS, "missing", "valid"].toSorted());
  if (process.env["SVC_TOKEN_RUNS"])
    console.log(`${RUNS} tokens compared: ${JSON.stringify(Object.fromEntries(counts))}`);
});
