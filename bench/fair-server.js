// A server with generated users in memory, for bench/fair.js. It prints its port in its first line.
import { newRecord } from "../src/server/store/records.ts";
import { INSTANCE, openMemoryServer } from "../test/_memory-server.ts";

const { users, key } = JSON.parse(process.argv[2]);
const idOf = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const people = Array.from({ length: users }, (_, n) => {
  const time = new Date(Date.UTC(2023, 0, 1) + n * 1000).toISOString();
  return newRecord("users", {
    id: idOf(n + 1),
    instance_id: INSTANCE,
    email: `user${n}@acme.test`,
    name: `User Number ${n}`,
    avatar_url: `https://pictures.test/${n}`,
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
const { port } = await openMemoryServer(key, people, identities);
console.log(JSON.stringify({ port }));
