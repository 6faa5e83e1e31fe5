// Below the faces: benchmarks want one instance and thousands of users at once, without a start.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createConnectionLimit } from "../src/server/http/connection-limit.ts";
import { configureServer } from "../src/server/http/connections.ts";
import { createListener } from "../src/server/http/listener.ts";
import { createAddresses } from "../src/server/instances/addresses.ts";
import { createOffers } from "../src/server/providers/offers.ts";
import { createService } from "../src/server/service.ts";
import { nowhere } from "../src/server/sign-in/geo.ts";
import { openMemoryStore } from "../src/server/store/memory/memory-store.ts";
import { newRecord, type IdentityRecord, type UserRecord } from "../src/server/store/records.ts";

export const INSTANCE = "00000000-0000-4000-8000-00000000000a";

export interface MemoryServer {
  readonly server: Server;
  readonly port: number;
  close(): void;
}

/** A server on its own socket with one instance, these users and the persona `ada`. Benchmarks use it too. */
export async function openMemoryServer(
  secret_key: string,
  users: UserRecord[],
  identities: IdentityRecord[] = [],
): Promise<MemoryServer> {
  const store = openMemoryStore();
  await store.replace({
    instances: [
      newRecord("instances", {
        id: INSTANCE,
        app_id: "app",
        name: "Acme",
        subdomain: "acme",
        active: true,
        publishable_key: "pk_acme_0123456789",
        secret_key,
        default_provider: "google",
        redirect_uris: [],
        connections: {},
        created_at: new Date(0).toISOString(),
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
    users,
    identities,
    sessions: [],
  });
  const onBug = (error: unknown): never => {
    throw error;
  };
  const server = createServer();
  configureServer(server, createConnectionLimit({ isProxy: () => false, warn: onBug }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const service = await createService({
    store,
    addresses: createAddresses(`http://localhost:${port}`, port, []),
    isLocal: true,
    control: false,
    now: () => new Date(),
    warn: () => undefined,
    locate: nowhere,
    offers: createOffers({ mode: "simulated", globals: {}, isLocal: true }),
    fetch: () => Promise.reject(new Error("no real provider is asked")),
    onBug,
    onRequest: ({ sign_in, reason }) => {
      if (sign_in && sign_in.outcome !== "success") onBug(new Error(reason ?? ""));
    },
  });
  server.on("request", createListener(service.app, onBug));
  const close = (): void => {
    service.stop();
    server.close();
    server.closeAllConnections();
  };
  return { server, port, close };
}
