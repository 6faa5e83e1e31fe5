import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { configureServer, createListener } from "../src/server/http/listener.ts";
import { createAddresses } from "../src/server/instances/addresses.ts";
import { createLive } from "../src/server/live/index.ts";
import { createService } from "../src/server/service.ts";
import { nowhere } from "../src/server/sign-in/geo.ts";
import { openMemoryStore } from "../src/server/store/json/memory-store.ts";
import { newRecord } from "../src/server/store/records.ts";

const INSTANCE = "00000000-0000-4000-8000-00000000000a";
export const SECRET_KEY = "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz";

export function userId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** A server on its own socket whose only instance has users 1 to `count` and a persona `ada`. */
export async function serverOf(count: number): Promise<{ server: Server; port: number }> {
  const store = openMemoryStore();
  const created_at = new Date(0).toISOString();
  await store.replace({
    instances: [
      newRecord("instances", {
        id: INSTANCE,
        app_id: "app",
        name: "Acme",
        subdomain: "acme",
        active: true,
        publishable_key: "pk_acme_0123456789",
        secret_key: SECRET_KEY,
        default_provider: "google",
        redirect_uris: [],
        connections: {},
        created_at,
      }),
    ],
    personas: [
      newRecord("personas", {
        id: "ada",
        name: "Ada",
        email: "ada@acme.test",
        accounts: { google: { sub: "ada", email_verified: true } },
      }),
    ],
    users: Array.from({ length: count }, (_, n) =>
      newRecord("users", {
        id: userId(n + 1),
        instance_id: INSTANCE,
        email: `user${n + 1}@acme.test`,
        name: `User Number ${n + 1}`,
        created_at,
        updated_at: created_at,
      }),
    ),
    identities: [],
    sessions: [],
  });
  const live = await createLive(store, () => new Date());
  const onBug = (error: unknown): void => {
    throw error;
  };
  const server = createServer(
    createListener({ answer: (incoming) => service.answer(incoming) }, () => "127.0.0.1", {
      onBug,
      isStopping: () => false,
    }),
  );
  configureServer(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    live.close();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const service = createService({
    store,
    live,
    addresses: createAddresses(`http://localhost:${port}`, port, []),
    isLocal: true,
    locate: nowhere,
    providers: "simulated",
    credentials: {},
    fetch: async () => {
      throw new Error("no real provider is asked");
    },
    onBug,
    onFailure: (_, error) => onBug(error),
    onUnlisted: () => undefined,
  });
  return { server, port };
}
