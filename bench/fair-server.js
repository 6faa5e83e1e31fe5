// A server with generated users in memory, for bench/fair.js. It prints its port in its first line.
import { createServer } from "node:http";
import { configureServer, createListener } from "../src/server/http/listener.ts";
import { createAddresses } from "../src/server/instances/addresses.ts";
import { createLive } from "../src/server/live/index.ts";
import { nowhere } from "../src/server/sign-in/geo.ts";
import { createService } from "../src/server/service.ts";
import { openMemoryStore } from "../src/server/store/json/memory-store.ts";
import { newRecord } from "../src/server/store/records.ts";

const INSTANCE = "00000000-0000-4000-8000-00000000000a";
const { users, key } = JSON.parse(process.argv[2]);
const idOf = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const store = openMemoryStore();
await store.replace(records(users));
const live = await createLive(store, () => new Date());
let app;
const server = createServer(
  createListener({ answer: (incoming) => app.answer(incoming) }, (message) => message.socket.remoteAddress ?? "", {
    onBug: (error) => console.error(error),
    isStopping: () => false,
  }),
);
configureServer(server);
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  app = createService({
    store,
    live,
    addresses: createAddresses(`http://localhost:${port}`, port, []),
    isLocal: true,
    locate: nowhere,
    providers: "simulated",
    credentials: {},
    fetch: () => Promise.reject(new Error("no real provider is asked")),
    onBug: (error) => console.error(error),
    onFailure: (provider, error) => console.error(provider, error),
    onUnlisted: () => undefined,
  });
  console.log(JSON.stringify({ port }));
});

function records(count) {
  const created_at = new Date(0).toISOString();
  const instance = { id: INSTANCE, app_id: "app", name: "Acme", subdomain: "acme", active: true, created_at };
  const keys = { publishable_key: "pk_bench", secret_key: key, default_provider: "google" };
  const people = Array.from({ length: count }, (_, n) => {
    const time = new Date(Date.UTC(2023, 0, 1) + n * 1000).toISOString();
    const text = { email: `user${n}@acme.test`, name: `User Number ${n}`, avatar_url: `https://pictures.test/${n}` };
    return newRecord("users", {
      id: idOf(n + 1),
      instance_id: INSTANCE,
      ...text,
      email_verified_at: time,
      created_at: time,
      updated_at: time,
    });
  });
  const identities = people.map((owner, n) =>
    newRecord("identities", {
      id: idOf(n + 1),
      instance_id: INSTANCE,
      user_id: owner.id,
      provider: "google",
      uid: String(1_000_000_000 + n),
      email: owner.email,
      email_verified: true,
      created_at: owner.created_at,
      updated_at: owner.updated_at,
    }),
  );
  return {
    instances: [newRecord("instances", { ...instance, ...keys, redirect_uris: [], connections: {} })],
    personas: [
      newRecord("personas", {
        id: "ada",
        name: "Ada",
        email: "ada@acme.test",
        accounts: { google: { sub: "ada", email_verified: true } },
      }),
    ],
    users: people,
    identities,
    sessions: [],
  };
}
