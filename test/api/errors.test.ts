import { describe, expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { ADA, ADA_OF_GLOBEX, NOBODY, NO_SESSION, SESSION_OF_GLOBEX, type Service, setup } from "../_setup.ts";

const secret = (key: string): Record<string, string> => ({ "x-service-secret-key": key });

function verify({ as, acme }: Service, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return as(acme, "/api/v1/tokens/verify", { method: "POST", headers, body: JSON.stringify(body) });
}

describe("The table of errors", () => {
  const search = "/api/v1/instances/search";

  it.each<[number, object, string, (service: Service) => Promise<Response>]>([
    [400, { error: "Missing token" }, "verify called without token", (service) => verify(service, {})],
    [
      400,
      { error: "publishable_key is required in query" },
      "instance search without publishable_key in query",
      ({ as, acme }) => as(acme, `${search}?query=name:acme`),
    ],
    [401, { error: "Unauthorized" }, "no credentials on sessions", ({ fetch }) => fetch("/api/v1/sessions")],
    [
      401,
      { error: "Unauthorized" },
      "bad credentials on search",
      ({ fetch }) => fetch("/api/v1/users/search?query=name:*", { headers: secret("sk_bad") }),
    ],
    [
      401,
      { error: "Missing secret key" },
      "user retrieval without a secret key",
      ({ fetch }) => fetch(`/api/v1/users/${ADA}`),
    ],
    [
      401,
      { valid: false, error: "Token invalid signature" },
      "token signature fails",
      async (service) => {
        const token = await service.tokenFor("google", "ada");
        return verify(service, { token: `${token.slice(0, token.lastIndexOf("."))}.${"A".repeat(43)}` });
      },
    ],
    [
      401,
      { valid: false, error: "Token does not belong to this instance" },
      "token from another instance",
      async (service) => verify(service, { token: await service.tokenFor("google", "ada", service.globex) }),
    ],
    [404, { error: "User not found" }, "user missing (get)", ({ as, acme }) => as(acme, `/api/v1/users/${NOBODY}`)],
    [
      404,
      { error: "User not found" },
      "user in another instance (get)",
      ({ as, acme }) => as(acme, `/api/v1/users/${ADA_OF_GLOBEX}`),
    ],
    [
      404,
      { error: "User not found" },
      "user missing (delete)",
      ({ as, acme }) => as(acme, `/api/v1/users/${NOBODY}`, { method: "DELETE" }),
    ],
    [
      404,
      { error: "User not found" },
      "user in another instance (delete)",
      ({ as, acme }) => as(acme, `/api/v1/users/${ADA_OF_GLOBEX}`, { method: "DELETE" }),
    ],
    [
      404,
      { error: "User not found" },
      "user missing (verify)",
      async (service) => {
        const token = await service.tokenFor("google", "ada");
        await service.store.deleteUser(service.acme.id, ADA);
        return verify(service, { token });
      },
    ],
    [
      404,
      { error: "Session not found" },
      "session missing",
      ({ as, acme }) => as(acme, `/api/v1/sessions/${NO_SESSION}`),
    ],
    [
      404,
      { error: "Session not found" },
      "session in another instance",
      ({ as, acme }) => as(acme, `/api/v1/sessions/${SESSION_OF_GLOBEX}`),
    ],
    [
      404,
      { error: "Instance not found" },
      "no instance for the publishable key",
      ({ as, acme }) => as(acme, `${search}?query=publishable_key:pk_nobody_0123456789`),
    ],
  ])("gives status %i and body %j when: %s", async (status, body, _, request_) => {
    const response = await request_(await setup());
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await answer(response)).toEqual([status, body]);
  });
});
