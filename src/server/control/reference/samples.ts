import { curlCommand } from "../../../wire/text/shell.ts";
import { requestPath } from "../../../wire/http/request.ts";
import type { Key, RouteDefinition } from "../../../wire/route.ts";
import { PROVIDERS } from "../../../wire/providers.ts";

/** A call of a route, as the OpenAPI document has it in `x-codeSamples`. */
export interface Sample {
  readonly lang: "Shell" | "TypeScript";
  readonly label: string;
  readonly source: string;
}

const VARIABLE = /\$([A-Z_]+)/g;
const KEYS = { secret: "secret", either: "publishable", control: "control", none: undefined } as const;

/** A route called by curl, and by the client that has a method for it. */
export function samplesOf(front: string, base: string, route: string, definition: RouteDefinition): Sample[] {
  const [method = "", path = ""] = route.split(" ");
  const { query, body } = EXAMPLES[`${method} ${base}${path}`] ?? {};
  const params = exampleParams(path);
  const url = `${front}${base}${readable(requestPath(route, params, query))}`;
  const key = KEYS[definition.key as Key];
  const curl = curlCommand({ method, url, key, body: body && JSON.stringify(body), variables: VARIABLE });
  return [
    { lang: "Shell", label: "curl", source: definition.isNavigation ? curl.replace("curl", "curl -i") : curl },
    { lang: "TypeScript", label: "TypeScript", source: program() },
  ];

  function program(): string {
    if (definition.isNavigation) return `const response = await fetch(${literal(url)}, { redirect: "manual" });`;
    if (definition.method === undefined) {
      const parts = Object.entries({ params, query, body }).filter(([, part]) => Object.keys(part ?? {}).length > 0);
      const call = parts.length === 0 ? "" : `, ${literal(Object.fromEntries(parts))}`;
      return `await svc.control.request(${literal(route)}${call});`;
    }
    // The client reads the publishable key from its options.
    const values = definition.method === "instances.resolve" ? {} : { ...params, ...query, ...body };
    return `await svc.${definition.method}(${Object.values(values).map(literal).join(", ")});`;
  }
}

/** What needs no escape in an address, and what is a variable. */
function readable(path: string): string {
  return path.replaceAll("%24", "$").replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%40", "@");
}

/** A value as it is written in a program. A text such as `$USER_ID` is the variable `userId`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, own]) => (literal(own) === name ? name : `${name}: ${literal(own)}`))
      .join(", ")} }`;
  if (typeof value !== "string" || !value.includes("$")) return JSON.stringify(value);
  const whole = /^\$([A-Z_]+)$/.exec(value);
  if (whole) return camelCase(whole[1]!);
  return `\`${value.replaceAll(VARIABLE, (_, name: string) => `\${${camelCase(name)}}`)}\``;
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What the commands and programs of the reference send. A text such as `$USER_ID` is a variable that the reader sets. */
interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const [PROVIDER] = PROVIDERS;
const REDIRECT_URI = "http://localhost:3000/callback";
const TOKEN = { body: { token: "$TOKEN" } };

/** By method and address. A route that is not here is called with nothing but its path. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  "GET /sign-in": { query: { redirect_uri: REDIRECT_URI } },
  "GET /oauth/authorize": { query: { provider: PROVIDER, redirect_uri: REDIRECT_URI } },
  "GET /oauth/:provider/callback": { query: { state: "$STATE", code: "$CODE" } },
  "POST /api/v1/tokens/verify": TOKEN,
  "GET /api/v1/instances/search": { query: { query: "publishable_key:$SVC_PUBLISHABLE_KEY" } },
  "GET /api/v1/users/search": { query: { query: "email:*@acme.test" } },
  "GET /api/v1/sessions/search": { query: { query: `provider:${PROVIDER}` } },
  "POST /__svc/v1/instances": { body: { name: "Initech", subdomain: "initech" } },
  "PATCH /__svc/v1/instances/:id": { body: { name: "Acme Corporation" } },
  "POST /__svc/v1/instances/:id/keys/rotate": { body: { keep_old: "1h" } },
  "PUT /__svc/v1/instances/:id/connections/:provider": {
    body: { client_id: "$CLIENT_ID", client_secret: "$CLIENT_SECRET" },
  },
  "GET /__svc/v1/users": { query: { name: "ada lovelace" } },
  "GET /__svc/v1/users/count": { query: { query: "email:*@acme.test" } },
  "POST /__svc/v1/users": { body: { email: "mary@acme.test", name: "Mary Shelley" } },
  "PATCH /__svc/v1/users/:id": { body: { name: "Ada King" } },
  "GET /__svc/v1/sessions": { query: { query: `provider:${PROVIDER}` } },
  "POST /__svc/v1/sessions/prune": { body: { before: "90d" } },
  "POST /__svc/v1/personas": { body: { name: "Mary Shelley", email: "mary@example.test", email_verified: true } },
  "PATCH /__svc/v1/personas/:id": { body: { name: "Ada King" } },
  "POST /__svc/v1/tokens": { body: { kind: "expired" } },
  "POST /__svc/v1/tokens/verify": TOKEN,
  "POST /__svc/v1/sign-ins": { body: { provider: PROVIDER, as: "ada" } },
  "POST /__svc/v1/scenarios": { body: { match: { provider: PROVIDER }, outcome: "access_denied" } },
  "POST /__svc/v1/browsers": { body: { label: "checkout test" } },
  "GET /__svc/v1/clock/proof": { query: { nonce: "$NONCE" } },
  "POST /__svc/v1/clock/set": { body: { at: "2030-01-31T12:00:00Z" } },
  "POST /__svc/v1/clock/advance": { body: { by: "61m" } },
  "POST /__svc/v1/snapshots": { body: { name: "before-import" } },
  "POST /__svc/v1/reset": { body: { all: true } },
  "POST /__svc/v1/seed": { body: { generate: { users: 100 } } },
  "GET /__svc/v1/flows": { query: { result: "error" } },
  "POST /__svc/v1/flows/:id/replay": { body: { outcome: "access_denied" } },
  "GET /__svc/v1/requests": { query: { status: "4xx" } },
  "GET /__svc/v1/events": { query: { kind: "flow" } },
  "POST /__svc/v1/dashboard-keys": { body: { code: "$CODE" } },
};

/** Names that the demo has. */
const KNOWN: Readonly<Record<string, string>> = {
  "instances/:id": "acme",
  "personas/:id": "ada",
  "snapshots/:name": "before-import",
  "connections/:provider": PROVIDER,
  "oauth/:provider": PROVIDER,
};

/** The value of each parameter of a path: a name of the demo, or a variable such as `$USER_ID`. */
export function exampleParams(path: string): Record<string, string> {
  const params = path.matchAll(/(\w+)\/:(\w+)/g);
  return Object.fromEntries(
    [...params].map(([place, noun = "", name = ""]) => [
      name,
      KNOWN[place] ?? `$${noun.replace(/s$/, "").toUpperCase()}_ID`,
    ]),
  );
}
