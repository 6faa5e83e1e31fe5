import { expect, it } from "vitest";
import { APP, CONTROL_KEY, FRONT, setup } from "../_setup.ts";
import { claimsOf, sign } from "../_tokens.ts";

const DASHBOARD_KEY = "dsh_mf2k3x9a.0123456789abcdef.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
/** Wherever something else was expected. `{pk}` is a publishable key, `{secret}` what was pasted. */
const REQUESTS: [path: string, headers?: Record<string, string>][] = [
  ["/api/v1/instances/search?query=publishable_key:{pk}", { "x-service-publishable-key": "{secret}" }],
  ["/api/v1/instances/search?query=publishable_key:{secret}", { "x-service-publishable-key": "{pk}" }],
  ["/api/v1/users/search?query=email:{secret}", { "x-service-secret-key": "{sk}" }],
  ["/api/v1/users/search?query={secret}:x", { "x-service-secret-key": "{sk}" }],
  ["/api/v1/users/search?query=name%3A{secret}", { "x-service-secret-key": "{sk}" }],
  ["/api/v1/users/{secret}", { "x-service-secret-key": "{sk}" }],
  ["/api/v1/users?after={secret}", { "x-service-secret-key": "{sk}" }],
  ["/api/v1/{secret}"],
  ["/{secret}"],
  ["/?{secret}=1"],
  ["/?{secret}"],
  ["/sign-in?instance={secret}"],
  ["/sign-in?publishable_key={secret}"],
  ["/sign-in?provider={secret}"],
  [`/sign-in?redirect_uri=${APP}/{secret}`],
  ["/sign-in?redirect_uri=https://app.example/{secret}", { accept: "text/html" }],
  [`/sign-in?redirect_uri=${APP}&login_hint={secret}`],
  [`/oauth/authorize?provider=google&redirect_uri=${APP}&login_hint={secret}`],
  ["/oauth/google/callback?state={secret}&code={secret}"],
  ["/oauth/{secret}/callback?state=x"],
  ["/__svc/v1/users?instance={secret}", { authorization: `Bearer ${CONTROL_KEY}` }],
  ["/__svc/v1/users?query={secret}:x", { authorization: `Bearer ${CONTROL_KEY}` }],
  ["/__svc/v1/flows?user={secret}", { authorization: `Bearer ${CONTROL_KEY}` }],
  ["/__svc/v1/{secret}", { authorization: `Bearer ${CONTROL_KEY}` }],
  ["/", { "user-agent": "{secret}", "x-forwarded-for": "{secret}", origin: "https://app.example/{secret}" }],
];

it.each(["a secret key", "a shortened secret key", "a control key", "a dashboard key", "a token"])(
  "T24: %s that is sent in place of something else is in no log, request or flow",
  async (kind) => {
    const service = await setup({ control: true });
    const { secret_key, publishable_key } = service.acme;
    const secret = {
      "a secret key": secret_key,
      "a shortened secret key": "sk_iVBMV-oxFMl",
      "a control key": CONTROL_KEY,
      "a dashboard key": DASHBOARD_KEY,
      "a token": sign(secret_key, claimsOf(service.acme)),
    }[kind]!;
    const write = (text: string): string =>
      text.replaceAll("{secret}", secret).replaceAll("{sk}", secret_key).replaceAll("{pk}", publishable_key);
    for (const [path, headers = {}] of REQUESTS) {
      const written = Object.entries(headers).map(([name, value]): [string, string] => [name, write(value)]);
      // As an application would go on from there.
      let next: string | null = FRONT + write(path);
      for (let hop = 0; hop < 3; hop++) {
        if (next?.startsWith(FRONT) !== true) break;
        next = (await service.fetch(next, { headers: written })).headers.get("location");
      }
    }
    const shown = await Promise.all(
      ["requests?limit=1000", "flows?limit=1000"].map(async (list) => {
        const answer = await service.fetch(`/__svc/v1/${list}`, {
          headers: { authorization: `Bearer ${CONTROL_KEY}` },
        });
        expect(answer.status).toBe(200);
        return answer.text();
      }),
    );
    const all = [...shown, JSON.stringify(service.log.requests)].join("\n");
    expect(all).toContain("[redacted]");
    expect(all).toContain("/sign-in?instance=[redacted]");
    // Not even a part of it.
    expect(all).not.toContain(secret.slice(8, 24));
    expect(all).not.toContain(secret.slice(-10));
  },
);
