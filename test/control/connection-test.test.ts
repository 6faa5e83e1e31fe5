import { expect, it } from "vitest";
import { testConnection } from "../../src/server/control/routes/connections.ts";
import type { ControlDeps } from "../../src/server/control/deps.ts";
import { google } from "../../src/server/providers/google.ts";
import { createAddresses } from "../../src/server/instances/addresses.ts";
import { reply } from "../../src/server/simulator/provider.ts";
import { FRONT } from "../_setup.ts";

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
])(
  "The test of a connection to a provider that answers %i %s to a made-up code is ok: %s",
  async (status, error, ok, message) => {
    const connection = {
      provider: google,
      client_id: "id",
      client_secret: "secret",
      endpoints: google.endpoints,
      loginHint: undefined,
      ask: async () => reply(status, { error }),
      isSimulated: false,
    };
    const deps = { addresses: createAddresses(FRONT, 7820) } as ControlDeps;
    expect(await testConnection(connection, deps)).toEqual({ ok, message });
  },
);
