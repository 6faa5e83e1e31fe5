import { readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openMaintenance } from "../../src/server/index.ts";
import { attempt, refused } from "./_journal.ts";
import { filesBeside, journalOf, makeStore, warn } from "./_move.ts";
import { A, contentOf, id, people } from "./_records.ts";

const { accept, check, export: save } = await openMaintenance(warn);

type Edit = (text: string) => string;

async function edited(edit: Edit): Promise<string> {
  const path = await makeStore();
  await writeFile(path, edit(await readFile(path, "utf8")));
  return path;
}

const line = (text: string, part: string): string => text.split("\n").find((one) => one.includes(part))!;

describe("A db.json that its owner has edited", () => {
  it("is refused with what it has beside what it had, and is a store once it is accepted", async () => {
    const path = await edited((text) =>
      text.replace('"name":"Ada Lovelace"', '"name":"Ada King"').replace(`${line(text, id(23))}\n`, ""),
    );
    const before = await filesBeside(path);
    const { reason, message } = await refused(path);
    expect(reason).toBe("damaged");
    expect(message).toMatch(
      /db\.json was changed since svc wrote it at 20\d\d-.*Z\. It has 0 settings, 2 instances, 2 personas, 4 users, 4 identities, 3 sessions \(4 before\), 1 states\. Nothing was changed\. If this is what you want: svc store check --accept --store .*db\.json\. Otherwise restore a backup\./,
    );
    await expect(save(path, async () => undefined)).rejects.toThrow("was changed since svc wrote it");
    const { damage, doubts } = await check(path);
    expect([damage, doubts]).toEqual([[], [expect.stringContaining("was changed since svc wrote it")]]);
    expect(await filesBeside(path)).toEqual(before);

    await accept(path);
    expect(await check(path)).toMatchObject({ damage: [], doubts: [], dangling: [] });
    const { store, warnings } = await attempt(path);
    expect((await store!.findUser(A, id(1)))?.user.name).toBe("Ada King");
    expect((await contentOf(store!)).sessions).toHaveLength(3);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Edit]>([
    ["formatted by an editor", (text) => JSON.stringify(JSON.parse(text), undefined, 2)],
    ["given other line ends", (text) => text.replaceAll("\n", "\r\n")],
    ["written on one line", (text) => JSON.stringify(JSON.parse(text))],
    ["given a user without the columns that may be null", (text) => withUser(text)],
  ])("keeps every record where it was %s", async (_, edit) => {
    const path = await edited(edit);
    expect((await refused(path)).message).toContain("was changed since svc wrote it");
    await accept(path);
    const { store } = await attempt(path);
    const ids = people().users.map((user) => user.id);
    const found = (await contentOf(store!)).users.map(({ user }) => user.id);
    expect(found.filter((one) => ids.includes(one))).toHaveLength(ids.length);
  });

  it.each<[string, (row: Record<string, unknown>) => unknown]>([
    ["users[0].email must be text", (row) => ({ ...row, email: 7 })],
    [
      "users[0].email is missing",
      (row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== "email")),
    ],
    ["users[0].emial is not a column", (row) => ({ ...row, emial: "x" })],
    ["users[0].created_at must be a time such as 2026-01-31T23:59:59.000Z", (row) => ({ ...row, created_at: "today" })],
    ["users[0].avatar_url must be text, or null", (row) => ({ ...row, avatar_url: 1 })],
    ["users[0] must be an object", () => 7],
    ["users[1]: users.email: another user of the instance has", (row) => ({ ...row, email: "CHARLES@acme.test" })],
    ["users[1]: users: another record has the key", (row) => ({ ...row, id: id(2) })],
    ["users[0]: users.instance_id: there is no instance", (row) => ({ ...row, instance_id: id(77) })],
  ])("is refused, and can't be accepted: %s", async (fault, change) => {
    const path = await edited((text) => {
      const document = JSON.parse(text) as { users: Record<string, unknown>[] };
      const [first, ...others] = document.users;
      return JSON.stringify({ ...document, users: [change(first!), ...others] });
    });
    const before = await filesBeside(path);
    expect((await refused(path)).message).toContain(`${path}: ${fault}`);
    await expect(accept(path)).rejects.toThrow(fault);
    expect(await filesBeside(path)).toEqual(before);
  });

  it.each(["store", "journal", "number", "written_at", "records"])(
    "is refused, and can't be accepted, where its heading lost %s",
    async (name) => {
      const path = await edited((text) => text.replace(`"${name}":`, `"x${name}":`));
      const fault = `${path}: not a store: its heading is missing, or not whole`;
      expect((await refused(path)).message).toContain(fault);
      await expect(accept(path)).rejects.toThrow(fault);
    },
  );

  it("is refused with line and column where it is no JSON any more", async () => {
    const path = await edited((text) => JSON.stringify(JSON.parse(text), undefined, 2).slice(0, -30));
    expect((await refused(path)).message).toMatch(/db\.json: not JSON: .* \(line \d+, column \d+\)/);
  });
});

it("A db.json that was copied without its journal is refused, and is a store once it is accepted", async () => {
  const path = await makeStore();
  await rm(journalOf(path));
  expect((await refused(path)).message).toContain(`${journalOf(path)} is missing`);
  await accept(path);
  const { store } = await attempt(path);
  expect((await contentOf(store!)).users).toHaveLength(people().users.length);
});

it("A sound store is accepted without a change of its records", async () => {
  const path = await makeStore();
  const before = await readFile(path, "utf8");
  await accept(path);
  expect(await readFile(path, "utf8")).toBe(before);
});

/** A user as a person would type one. */
function withUser(text: string): string {
  const document = JSON.parse(text) as { users: object[] };
  const typed = {
    id: id(500),
    instance_id: A,
    email: "typed@acme.test",
    name: "Typed",
    created_at: "2026-06-01T12:00:00.000Z",
    updated_at: "2026-06-01T12:00:00.000Z",
  };
  return JSON.stringify({ ...document, users: [...document.users, typed] });
}
