import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createClient, isServiceError, type Client, type Fetch } from "../../src/client/index.ts";
import { SEED, setup, type Service } from "../_setup.ts";
import { KEY } from "../_client.ts";
import { portOf } from "../_port-of.ts";

const BASE = "https://acme.svc.test";

/** A service with `count` more users than acme has. */
async function crowded(count: number): Promise<{ service: Service; client: Client; asked: string[] }> {
  const [acme, globex] = SEED.instances;
  const more = Array.from({ length: count }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    email: `user${index}@crowd.test`,
    name: `User ${index}`,
    created_at: new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString(),
  }));
  const service = await setup({
    seed: { ...SEED, instances: [{ ...acme!, users: [...acme!.users, ...more] }, globex] },
  });
  const asked: string[] = [];
  const fetch: Fetch = (url, init) => {
    asked.push(new URL(url).search);
    return service.fetch(url, init as RequestInit) as ReturnType<Fetch>;
  };
  return { service, client: service.client(service.acme, { fetch }), asked };
}

/** A client of a service that gives these answers in turn: a body, a status, or a body and its Link header. */
function clientOf(...answers: (object | number)[]): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    const answer = answers[Math.min(asked.push(url), answers.length) - 1]!;
    if (typeof answer === "number")
      return Response.json({ error: "Bad request: limit is unknown" }, { status: answer }) as never;
    const { body = answer, link } = answer as { body?: object; link?: string };
    return Response.json(body, { headers: link === undefined ? {} : { link } }) as never;
  };
  return { client: createClient({ secretKey: KEY, baseUrl: BASE, fetch, retry: 0 }), asked };
}

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

const [A, B, C] = ["a", "b", "c"].map((id) => ({ id, resource: "user", data: {} }));

describe("A list", () => {
  it("is the same when awaited or iterated, for every page size", async () => {
    const { client, asked } = await crowded(20);
    const all = (await client.users.list()).map(({ id }) => id);
    expect(all).toHaveLength(23);
    for (const limit of [1, 7, 22, 23, 24, 1000]) {
      asked.length = 0;
      expect(await idsOf(client.users.list({ limit }))).toEqual(all);
      expect(asked).toHaveLength(Math.ceil(23 / limit));
    }
  });

  it.each<[what: string, list: (client: Client, limit: number) => AsyncIterable<{ id: string }>, count: number]>([
    ["users.list", ({ users }, limit) => users.list({ limit }), 23],
    ["users.search", ({ users }, limit) => users.search("email:*@crowd.test name:*1*", { limit }), 11],
    ["sessions.list", ({ sessions }, limit) => sessions.list({ limit }), 3],
    ["sessions.search", ({ sessions }, limit) => sessions.search("-provider:github", { limit }), 2],
  ])("of %s continues from page to page", async (_, list, count) => {
    const { client } = await crowded(20);
    const ids = await idsOf(list(client, 2));
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    expect(ids).toEqual(await idsOf(list(client, 1000)));
  });

  it("starts after the given id", async () => {
    const { client } = await crowded(20);
    const all = await idsOf(client.users.list());
    expect(await idsOf(client.users.list({ after: all[9]!, limit: 4 }))).toEqual(all.slice(10));
  });

  it("can be emptied while it is iterated", async () => {
    for (const limit of [1, 2, 5]) {
      const { client } = await crowded(12);
      for await (const { id } of client.users.search("email:*@crowd.test", { limit })) await client.users.delete(id);
      expect(await client.users.search("email:*@crowd.test")).toEqual([]);
      expect(await client.users.list()).toHaveLength(3);
    }
  });

  it("requests no page after the one where its reader stops", async () => {
    const { client, asked } = await crowded(20);
    for await (const _ of client.users.list({ limit: 5 })) break;
    expect(asked).toHaveLength(1);
  });

  it("makes no request before it is awaited or iterated, and one however often it is awaited", async () => {
    const { client, asked } = await crowded(0);
    const list = client.users.list();
    await new Promise(setImmediate);
    expect(asked).toEqual([]);
    const [first, second, { data }] = await Promise.all([list, list, list.withResponse()]);
    expect([first, second, data].map(({ length }) => length)).toEqual([3, 3, 3]);
    expect(asked).toEqual([""]);
  });

  it("has every method of a promise", async () => {
    const { client } = clientOf([A], 500);
    const list = client.users.list();
    const order: string[] = [];
    expect(await list.finally(() => void order.push("finally"))).toEqual([A]);
    const failing = client.users.list();
    expect(await failing.catch((error: unknown) => isServiceError(error))).toBe(true);
    expect(await failing.then(undefined, () => "rejected")).toBe("rejected");
    expect(order).toEqual(["finally"]);
  });
});

describe("A service that only implements the specification", () => {
  it("may answer a page request with the whole list", async () => {
    const { client, asked } = clientOf([A, B, C]);
    expect(await idsOf(client.users.list({ limit: 1 }))).toEqual(["a", "b", "c"]);
    expect(asked).toHaveLength(1);
  });

  it("is asked again without limit if it rejects that parameter", async () => {
    const { client, asked } = clientOf(400, [A, B]);
    expect(await idsOf(client.users.search("email:a"))).toEqual(["a", "b"]);
    expect(asked.map((url) => new URL(url).search)).toEqual([
      "?query=email:a&limit=1000".replaceAll(":", "%3A"),
      "?query=email%3Aa",
    ]);
  });

  it("has its error passed on if the caller set the limit", async () => {
    const { client, asked } = clientOf(400, [A, B]);
    await expect(idsOf(client.users.list({ limit: 5 }))).rejects.toMatchObject({ status: 400 });
    expect(asked).toHaveLength(1);
  });
});

describe("The Link header to the next page", () => {
  it.each([
    ['<https://acme.svc.test/api/v1/users?limit=1&after=a>; rel="next"'],
    ["</api/v1/users?limit=1&after=a>; rel=next"],
    ["<?limit=1&after=a>; rel=next"],
    ['<?limit=9&after=z>; rel="prev", <?limit=1&after=a>; rel="next"'],
    ['<?limit=1&after=a#x>; title="a, b; rel=prev"; rel="last NEXT"'],
    ["<?limit=1&after=a>;rel=next;title=x"],
  ])("is understood as %s", async (link) => {
    const { client, asked } = clientOf({ body: [A], link }, [B]);
    expect(await idsOf(client.users.list({ limit: 1 }))).toEqual(["a", "b"]);
    expect(asked).toEqual([`${BASE}/api/v1/users?limit=1`, `${BASE}/api/v1/users?limit=1&after=a`]);
  });

  it.each([
    "",
    "<?after=a>",
    '<?after=a>; rel="nextish"',
    '<?after=a>; rel="prev"',
    '?after=a; rel="next"',
    '<?after=a>; title="; rel=next"',
  ])("is ignored when it is %j", async (link) => {
    const { client, asked } = clientOf({ body: [A], link }, [B]);
    expect(await idsOf(client.users.list())).toEqual(["a"]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    "https://evil.test/api/v1/users?after=a",
    "//evil.test/?after=a",
    "http://acme.svc.test/x?after=a",
    "https://u:p@evil.test/?after=a",
  ])("to %s is not followed, and the key is not sent there", async (target) => {
    const { client, asked } = clientOf({ body: [A], link: `<${target}>; rel="next"` }, [B]);
    expect(await idsOf(client.users.list())).toEqual(["a", "b"]);
    expect(asked[1]).toBe(`${BASE}/api/v1/users?after=a`);
  });

  it("ends the list with an error if it names its own page", async () => {
    const { client } = clientOf({ body: [A], link: '<?after=a>; rel="next"' });
    await expect(idsOf(client.users.list())).rejects.toMatchObject({ code: "unexpected_response" });
  });
});

describe("A very long list", () => {
  it("is kept in memory one page at a time", async () => {
    const COUNT = 20_000;
    const user = (index: number): object => ({ id: String(index), resource: "user", data: { name: "x".repeat(100) } });
    const answer = ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
      const { searchParams } = new URL(url, BASE);
      const limit = Number(searchParams.get("limit"));
      const from = Number(searchParams.get("after") ?? -1) + 1;
      const to = Math.min(from + limit, COUNT);
      if (to < COUNT) response.setHeader("link", `</api/v1/users?limit=${limit}&after=${to - 1}>; rel="next"`);
      response.end(JSON.stringify(Array.from({ length: to - from }, (_, index) => user(from + index))));
    };
    const server = createServer(answer);
    const { users } = createClient({ secretKey: KEY, baseUrl: `http://127.0.0.1:${await portOf(server)}` });
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const refs: WeakRef<object>[] = [];
    const held: number[] = [];
    let count = 0;
    for await (const one of users.list()) {
      refs.push(new WeakRef(one));
      if (++count % (COUNT / 4) !== 0) continue;
      await new Promise(setImmediate);
      collectGarbage();
      held.push(refs.filter((ref) => ref.deref() !== undefined).length);
    }
    expect(count).toBe(COUNT);
    // The page that is read, the next one, and what a register still refers to.
    expect(Math.max(...held)).toBeLessThan(3 * 1000);
  });
});
