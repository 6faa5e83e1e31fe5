import { expect, it } from "vitest";
import { connected, openProvider } from "../_attacks.ts";
import { startServer } from "../_control.ts";

const REJECTED = "Google rejected the client credentials (invalid_client). Check client_id and client_secret.";

it.each([
  [400, "invalid_grant", true, "google knows the client; it refused a made-up code, as it should (invalid_grant)"],
  [401, "invalid_client", false, REJECTED],
  [
    503,
    "backend_error",
    false,
    "Google's token endpoint answered 503, error backend_error. The fault is at Google: try again later.",
  ],
  [200, undefined, false, "google accepted a made-up code; it is not checking codes"],
])(
  "The test of a connection to a provider that answers %i %s to a made-up code is ok: %s",
  async (status, error, ok, message) => {
    const provider = await openProvider();
    if (error !== undefined) provider.reply = () => ({ status, body: JSON.stringify({ error }) });
    const { control } = await startServer({ seed: connected(provider) as never, providers: "auto" });
    const { body } = await control("POST /instances/acme/connections/google/test", {});
    expect(body).toEqual({ ok, message });
  },
);
