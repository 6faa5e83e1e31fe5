import { PROVIDERS } from "../../../wire/providers.ts";

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
