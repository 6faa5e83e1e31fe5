import { describe, expect, it } from "vitest";
import type { Store } from "../src/server/store/store.ts";
import { answer } from "./_answers.ts";
import { ADA, CONTROL_KEY, SEED, setup, type Service } from "./_setup.ts";
import { PROVIDERS, type Provider } from "../src/wire/providers.ts";

const UNKNOWN = {
  error:
    "Bad request: after is neither the id of a record nor a position in this list; follow the Link header of the previous page, or omit after to begin with the first page",
};
const LISTS = ["/api/v1/users?limit=3", "/api/v1/users/search?query=name:user*&limit=3", "/__svc/v1/users?limit=3"];

function idOf(n: number): string {
  return `00000000-0000-4000-9000-${String(n).padStart(12, "0")}`;
}

/** Acme with ten users of four times, and Globex as in the seed. */
const CROWD = {
  ...SEED,
  instances: [
    {
      ...SEED.instances[0],
      users: Array.from({ length: 10 }, (_, n) => ({
        id: idOf(n),
        email: `user${n}@acme.test`,
        name: `User ${n}`,
        created_at: `2026-01-01T00:00:00.00${n >> 2}Z`,
      })),
    },
    SEED.instances[1],
  ],
};
/** Newest first, ties by id. */
const ORDER = [8, 9, 4, 5, 6, 7, 0, 1, 2, 3].map(idOf);

/** Sends a request with Acme's key, or to the control API with its own. */
function sender({ acme, as, fetch }: Service): (path: string) => Promise<Response> {
  const headers = { authorization: `Bearer ${CONTROL_KEY}` };
  return (path) =>
    new URL(path, "http://x").pathname.startsWith("/__svc/") ? fetch(path, { headers }) : as(acme, path);
}

/** The address of the next page. */
function nextOf(response: Response): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
}

function afterOf(response: Response): string {
  return new URL(nextOf(response)!).searchParams.get("after")!;
}

/** The ids of all pages. @param between what happens before the next page is asked for, given the ids of this one */
async function follow(
  service: Service,
  first: string,
  between: (ids: string[]) => Promise<unknown>,
): Promise<string[]> {
  const send = sender(service);
  const found: string[] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const response = await send(path);
    expect(response.status).toBe(200);
    const ids = ((await response.json()) as { id: string }[]).map(({ id }) => id);
    found.push(...ids);
    path = nextOf(response);
    await between(ids);
  }
  return found;
}

/** What the `Link` header promises, over a store. */
export function testPositions(name: string, open: () => Promise<Store>): void {
  describe(`The Link header of a page (${name})`, () => {
    it.each(LISTS)("leads on although each page's last user is deleted: %s", async (list) => {
      const service = await setup({ store: await open(), seed: CROWD, control: true });
      const remove = (ids: string[]): Promise<boolean> => service.store.deleteUser(service.acme.id, ids.at(-1)!);
      expect(await follow(service, list, remove)).toEqual(ORDER);
    });

    it.each(LISTS)("leads on although every user that was listed is deleted: %s", async (list) => {
      const service = await setup({ store: await open(), seed: CROWD, control: true });
      const remove = (ids: string[]): Promise<unknown> =>
        Promise.all(ids.map((id) => service.store.deleteUser(service.acme.id, id)));
      expect(await follow(service, list, remove)).toEqual(ORDER);
      expect(await answer(await service.as(service.acme, "/api/v1/users"))).toEqual([200, []]);
    });

    it.each(["/api/v1/sessions?limit=1", "/__svc/v1/sessions?limit=1"])(
      "lists every session once although each signs in again: %s",
      async (list) => {
        const service = await setup({ store: await open(), control: true });
        const signIn = async (account: Provider): Promise<void> => {
          service.clock.advance(1);
          await service.signIn(account, "alan");
        };
        for (const provider of PROVIDERS) await signIn(provider);
        const all = (await (await service.as(service.acme, "/api/v1/sessions")).json()) as { id: string }[];
        const renewed = PROVIDERS.toReversed();
        const again = async (): Promise<void> => {
          const provider = renewed.shift();
          if (provider) await signIn(provider);
        };
        expect(await follow(service, list, again)).toEqual(all.map(({ id }) => id));
        expect(await (await service.as(service.acme, "/api/v1/sessions")).json()).toHaveLength(all.length);
      },
    );

    it("serves the product API and the control API alike, and searches of the list too", async () => {
      const service = await setup({ store: await open(), seed: CROWD, control: true });
      const send = sender(service);
      for (const from of LISTS)
        for (const to of LISTS) {
          const path = new URL(to, "http://localhost:7820");
          path.searchParams.set("after", afterOf(await send(from)));
          const rest = (await (await send(path.href)).json()) as { id: string }[];
          expect(rest.map(({ id }) => id)).toEqual(ORDER.slice(3, 6));
        }
    });

    it("has a position that is refused when it was changed, cut short, or made for another list", async () => {
      const service = await setup({ store: await open(), control: true });
      const { acme, globex, as } = service;
      const position = afterOf(await as(acme, "/api/v1/users?limit=1"));
      expect(position).toMatch(/^[\w-]{92}$/);
      const other = String.fromCodePoint(position.codePointAt(20)! ^ 1);
      const forged = [
        position.slice(0, 20) + other + position.slice(21),
        position.slice(0, -1),
        position.slice(4),
        `${position}A`,
        `${position}=`,
        position.toUpperCase(),
        Buffer.from(`12345678 2026-01-01T00:00:00.000Z ${ADA}`).toString("base64url"),
        Buffer.from(`${"\0".repeat(8)}2026-01-01T00:00:00.000Z ${ADA}`).toString("base64url"),
        afterOf(await as(acme, "/api/v1/sessions?limit=1")),
      ];
      const send = sender(service);
      for (const after of forged)
        for (const path of ["/api/v1/users", "/__svc/v1/users"])
          expect([after, await answer(await send(`${path}?after=${after}`))]).toEqual([after, [400, UNKNOWN]]);
      expect(await answer(await as(globex, `/api/v1/users?after=${position}`))).toEqual([400, UNKNOWN]);
      expect(await answer(await as(acme, `/api/v1/sessions?after=${position}`))).toEqual([400, UNKNOWN]);
      expect((await as(acme, `/api/v1/users?after=${position}`)).status).toBe(200);
    });
  });
}
