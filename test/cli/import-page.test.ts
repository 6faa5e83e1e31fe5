// Below the faces: what a seed means is read as a server does.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readSeed } from "../../src/server/seed/parse.ts";
import { blocks } from "../_documents.ts";
import { temporaryDirectory } from "../_files.ts";
import { needs } from "../_machine.ts";
import { START } from "../_setup.ts";

const OWN = blocks.filter(({ page }) => page === "docs/import.md");
const CREATED = "2024-01-15T10:30:00.000Z";
const CREATED_MS = Date.parse(CREATED);

/** What each service exports, as its documentation has it: a user with accounts, and one who has next to nothing. */
const EXPORTS: Record<string, readonly unknown[]> = {
  Firebase: [
    {
      users: [
        {
          localId: "UsNNct2PA1WHSeMQrR0TvF45AY12",
          email: "ada@acme.test",
          emailVerified: true,
          displayName: "Ada Lovelace",
          photoUrl: "https://lh3.test/ada.jpg",
          lastSignedInAt: "1499034186000",
          createdAt: String(CREATED_MS),
          providerUserInfo: [
            { providerId: "google.com", rawId: "1033", email: "ada@acme.test", displayName: "Ada Lovelace" },
            { providerId: "password", rawId: "ada@acme.test", federatedId: "ada@acme.test" },
          ],
        },
        {
          localId: "I7auXeJz2VgOYWmQajpAyjqYFr23",
          email: "bo@acme.test",
          emailVerified: false,
          createdAt: "1705314600999",
        },
        { localId: "anonymous", createdAt: "1705314600999", providerUserInfo: [] },
      ],
    },
  ],
  Auth0: [
    {
      user_id: "google-oauth2|1033",
      email: "ada@acme.test",
      email_verified: true,
      name: "Ada Lovelace",
      picture: "https://lh3.test/ada.jpg",
      created_at: CREATED,
      identities: [{ user_id: "1033", provider: "google-oauth2", connection: "google-oauth2", isSocial: true }],
    },
    {
      user_id: "auth0|5f7c8ec7c33c6c004bbafe82",
      email: "bo@acme.test",
      email_verified: false,
      created_at: "2024-01-15T10:30:00.999Z",
      identities: [
        { user_id: "5f7c8ec7c33c6c004bbafe82", provider: "auth0", connection: "Username-Password-Authentication" },
      ],
    },
  ],
  Clerk: [
    [
      {
        id: "user_29w83sxmDNGwOuEthce5gg56FcC",
        first_name: "Ada",
        last_name: "Lovelace",
        image_url: "https://lh3.test/ada.jpg",
        created_at: CREATED_MS,
        primary_email_address_id: "idn_1",
        email_addresses: [
          { id: "idn_0", email_address: "other@acme.test", verification: { status: "verified" } },
          { id: "idn_1", email_address: "ada@acme.test", verification: { status: "verified" } },
        ],
        external_accounts: [{ provider: "oauth_google", provider_user_id: "1033", email_address: "ada@acme.test" }],
      },
    ],
    [
      {
        id: "user_2",
        first_name: null,
        last_name: null,
        created_at: CREATED_MS,
        primary_email_address_id: "idn_2",
        email_addresses: [{ id: "idn_2", email_address: "bo@acme.test", verification: null }],
        external_accounts: [],
      },
      { id: "user_3", created_at: CREATED_MS, primary_email_address_id: null, email_addresses: [] },
    ],
  ],
  Supabase: [
    [
      {
        id: "11111111-2222-4333-8444-555555555555",
        email: "ada@acme.test",
        email_confirmed_at: "2024-01-15T10:30:00+00:00",
        created_at: "2024-01-15T10:30:00.000123+00:00",
        raw_user_meta_data: { full_name: "Ada Lovelace", avatar_url: "https://lh3.test/ada.jpg" },
        identities: [
          {
            id: "9c7e",
            provider: "google",
            provider_id: "1033",
            identity_data: { sub: "1033" },
            email: "ada@acme.test",
          },
          { id: "9c7f", provider: "email", provider_id: "11111111-2222-4333-8444-555555555555" },
        ],
      },
      {
        id: "11111111-2222-4333-8444-666666666666",
        email: "bo@acme.test",
        email_confirmed_at: null,
        created_at: "2024-01-15T10:30:00+00:00",
        raw_user_meta_data: {},
        identities: null,
      },
      { id: "11111111-2222-4333-8444-777777777777", email: null, created_at: "2024-01-15T10:30:00+00:00" },
    ],
  ],
  "Auth.js": [
    [
      {
        id: 1,
        name: "Ada Lovelace",
        email: "ada@acme.test",
        emailVerified: "2024-01-15T10:30:00+00:00",
        image: "https://lh3.test/ada.jpg",
        accounts: [{ id: 7, userId: 1, type: "oidc", provider: "google", providerAccountId: "1033" }],
      },
      { id: 2, name: null, email: "bo@acme.test", emailVerified: null, image: null, accounts: null },
      { id: 3, name: "No address", email: null, emailVerified: null, image: null, accounts: null },
    ],
  ],
};

it.for(Object.keys(EXPORTS))(
  "An export of %s becomes a seed as docs/import.md says",
  needs("bash", "jq"),
  async (name) => {
    const directory = temporaryDirectory();
    const filter = OWN.find(({ section, language }) => section === name && language === "jq")!;
    const command = OWN.find(({ language }) => language === "sh")!;
    await writeFile(join(directory, "users.jq"), filter.code);
    await writeFile(join(directory, "export.json"), EXPORTS[name]!.map((part) => JSON.stringify(part)).join("\n"));
    await promisify(execFile)("bash", ["-ec", command.code], { cwd: directory });
    const seed = await readFile(join(directory, "seed.json"), "utf8");
    const { users, identities } = await readSeed(seed, "seed.json", START);
    expect(users).toMatchObject([
      {
        email: "ada@acme.test",
        name: "Ada Lovelace",
        avatar_url: "https://lh3.test/ada.jpg",
        email_verified_at: CREATED,
      },
      { email: "bo@acme.test", name: "bo", avatar_url: null, email_verified_at: null },
    ]);
    expect(users[0]!.created_at).toBe(name === "Auth.js" ? START.toISOString() : CREATED);
    expect(identities).toMatchObject([
      { provider: "google", uid: "1033", user_id: users[0]!.id, email_verified: true },
    ]);
    const again = await readSeed(seed, "seed.json", START);
    expect(again.users.map(({ id }) => id)).toEqual(users.map(({ id }) => id));
  },
);

it("An id of another service is looked up as docs/import.md says", needs("python3"), async () => {
  const program = OWN.find(({ language }) => language === "python")!;
  const { stdout } = await promisify(execFile)("python3", ["-c", program.code]);
  const users = [{ email: "ada@acme.test", id: "auth0:auth0|5f7c8ec7c33c6c004bbafe82" }];
  const seed = JSON.stringify({ instances: [{ name: "Acme", subdomain: "acme", users }] });
  expect((await readSeed(seed, "seed.json", START)).users[0]!.id).toBe(stdout.trim());
});
