import { expect, it } from "vitest";
import { PRODUCT_ROUTES } from "../../src/wire/product/routes.ts";
import { ERRORS } from "../../src/wire/errors.ts";
import { forged } from "../_client.ts";
import { ADA, APP, NOBODY, SESSION, setup, type Service } from "../_setup.ts";
import { claimsOf, sign } from "../_tokens.ts";

interface Operation {
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters: readonly { name: string; schema: { maximum?: number } }[];
  readonly responses: Readonly<Record<string, { description: string }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

async function documentOf(service: Service): Promise<Paths> {
  const response = await service.fetch("/__svc/openapi.json");
  return ((await response.json()) as { paths: Paths }).paths;
}

/** Documented, but not provoked here: what depends on the host alone, and what takes many requests or a fault. */
const NOT_PROVOKED = (
  ["unknown_host", "not_found", "too_many_sign_ins", "search_too_slow", "internal", "storage_unavailable"] as const
).map((code): string => ERRORS[code].error);

const JSON_TYPE = { "content-type": "application/json" };
const ACME = { "x-service-secret-key": "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz" };
const HEADERS: Record<string, string>[] = [
  {},
  ACME,
  { "x-service-secret-key": "sk_wrong" },
  { "x-service-publishable-key": "pk_acme_0123456789" },
  { ...ACME, origin: "https://evil.test" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
];
const HOSTS = ["http://acme.localhost:7820", "http://nobody.localhost:7820", "http://api.localhost:7820"];
const QUERIES = [
  "",
  "?query=a&query=b",
  "?limit=0",
  `?after=${NOBODY}`,
  "?query=nonsense",
  "?query=publishable_key:pk_nobody_0123456789",
  "?instance=nobody&provider=google",
  `?instance=acme&publishable_key=pk_acme_0123456789&provider=google`,
  "?provider=myspace",
  `?provider=google&redirect_uri=nonsense`,
  `?provider=google&redirect_uri=${APP}`,
  "?state=nonsense&code=x",
];

/** Every error sentence that requests to a route provoke, among them wrong ones of every kind. */
async function provoked(method: string, path: string, bodies: readonly string[]): Promise<Set<string>> {
  const services = await Promise.all([setup(), setup({ providers: "real" })]);
  const sentences = new Set<string>();
  const send = async (service: Service, url: string, init: RequestInit): Promise<void> => {
    const response = await service.fetch(url, { method, ...init });
    if (response.status < 400) return;
    const { error } = (await response.json()) as { error: string };
    sentences.add(error.split(": ")[0]!);
  };
  const [service, withoutProviders] = services;
  for (const query of QUERIES) {
    for (const headers of HEADERS) await send(service, path + query, { headers });
    for (const host of HOSTS) for (const headers of [{}, ACME]) await send(service, host + path + query, { headers });
    await send(withoutProviders, path + query, {});
  }
  const type = { ...ACME, ...JSON_TYPE };
  for (const body of bodies) await send(services[0], path, { headers: type, body });
  if (bodies.length > 0) {
    await send(services[0], path, { headers: { ...ACME, "content-type": "text/plain" }, body: "x" });
    const token = await service.tokenFor("google", "ada");
    const other = await service.tokenFor("google", "ada", service.globex);
    const check = (text: string): Promise<void> =>
      send(service, path, { headers: type, body: JSON.stringify({ token: text }) });
    const odd = sign(service.acme.secret_key, claimsOf(service.acme, { sub: undefined }));
    for (const text of [forged(token), other, odd]) await check(text);
    service.clock.advance(3600);
    await check(token);
    const last = await service.tokenFor("google", "ada");
    await service.as(service.acme, `/api/v1/users/${ADA}`, { method: "DELETE" });
    await check(last);
  }
  return sentences;
}

const VERIFY = ["{}", "{", JSON.stringify({ token: "nonsense" }), JSON.stringify({ token: "x".repeat(65_536) })];

it.each(Object.keys(PRODUCT_ROUTES))(
  "The OpenAPI document lists the errors that %s returns, and no others",
  async (route) => {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replace(/:(\w+)/, "{$1}");
    const at = pattern
      .replace(":provider", "google")
      .replace("users/:id", `users/${NOBODY}`)
      .replace("sessions/:id", `sessions/${SESSION.replace("a001", "ffff")}`);
    const bodies = path === "/api/v1/tokens/verify" ? VERIFY : [];
    const { responses } = (await documentOf(await setup({ control: true })))[path]![method.toLowerCase()]!;
    const documented = Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { description }]) => description.split("; "));
    const met = await provoked(method, at, bodies);
    if (path.includes("{provider}"))
      for (const one of await provoked(method, "/oauth/myspace/callback", [])) met.add(one);
    const provokable = (sentences: Iterable<string>): string[] =>
      [...sentences].filter((sentence) => !NOT_PROVOKED.includes(sentence)).toSorted();
    expect(provokable(documented)).toEqual(provokable(met));
  },
);

it("The OpenAPI document lists publishable_key and the two routes that need no key", async () => {
  const paths = await documentOf(await setup({ control: true }));
  for (const path of ["/sign-in", "/oauth/authorize"])
    expect(paths[path]!["get"]!.parameters.map(({ name }) => name)).toContain("publishable_key");
  const open = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ security }) =>
      path.startsWith("/__svc") && security.length === 0 ? [path] : [],
    ),
  );
  expect(open).toEqual(["/__svc/v1/clock/proof", "/__svc/v1/dashboard-keys"]);
});
