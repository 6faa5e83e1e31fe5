import { expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { CONTROL_KEY, setup } from "../_setup.ts";
import { startServer, type Answered, type ControlledServer } from "../_control.ts";

const NO_POSITION = expect.stringContaining("after is neither the id of a record nor a position in this list");

function afterOf({ headers }: { readonly headers: Headers }): string {
  return new URL(/<([^>]+)>/.exec(headers.get("link")!)![1]!).searchParams.get("after")!;
}

const idsOf = ({ body }: Answered): string[] => (body as { id: string }[]).map(({ id }) => id);

/** A server with some records of a kind, newest first. */
async function serverWith(kind: string, create: (server: ControlledServer, n: number) => Promise<Answered>) {
  const server = await startServer();
  for (let n = 0; n < 6; n++) expect((await create(server, n)).status).toBe(201);
  return { server, ids: idsOf(await server.control(`GET /${kind}`)) };
}

type Kind = [kind: string, create: (server: ControlledServer, n: number) => Promise<Answered>];
const SCENARIOS: Kind = ["scenarios", (server, n) => server.control("POST /scenarios", { label: `l${n}` })];
const KINDS: Kind[] = [
  SCENARIOS,
  ["snapshots", (server, n) => server.control("POST /snapshots", { name: `s${n}` })],
  ["instances", (server, n) => server.control("POST /instances", { name: `I${n}`, subdomain: `i${n}` })],
  ["personas", (server, n) => server.control("POST /personas", { name: `P${n}`, email: `p${n}@a.test` })],
];

it.each(KINDS)(
  "A list of %s is complete although each page is deleted before the next is read",
  async (kind, create) => {
    const { server, ids } = await serverWith(kind, create);
    const found: string[] = [];
    for (let query = "limit=2"; query !== "";) {
      const page = await server.control(`GET /${kind}?${query}`);
      found.push(...idsOf(page));
      query = page.headers.has("link") ? `limit=2&after=${afterOf(page)}` : "";
      for (const id of idsOf(page)) expect((await server.control(`DELETE /${kind}/${id}`)).status).toBe(200);
    }
    expect(found).toEqual(ids);
  },
);

it("A page continues by the id of a record, too, and by no other text", async () => {
  const { server, ids } = await serverWith(...SCENARIOS);
  expect(idsOf(await server.control(`GET /scenarios?after=${ids[1]!}`))).toEqual(ids.slice(2));
  const position = afterOf(await server.control("GET /scenarios?limit=2"));
  for (const after of [position.slice(1), position.toLowerCase(), "nobody"])
    expect(await server.control(`GET /scenarios?after=${after}`)).toMatchObject({
      status: 400,
      body: { error: NO_POSITION },
    });
  expect((await server.control(`GET /instances?after=${position}`)).status).toBe(400);
});

it("A page of filtered scenarios continues although the last of the previous page no longer matches", async () => {
  const { server, ids } = await serverWith(...SCENARIOS);
  const first = await server.control("GET /scenarios?pending=true&limit=2");
  expect(idsOf(first)).toEqual(ids.slice(0, 2));
  await server.control(`DELETE /scenarios?label=l4`);
  const next = await server.control(`GET /scenarios?pending=true&limit=2&after=${afterOf(first)}`);
  expect(idsOf(next)).toEqual(ids.slice(2, 4));
});

it("A page of open sign-ins continues although the last of the previous page has ended", async () => {
  const server = await startServer();
  const starts: string[] = [];
  for (let n = 0; n < 4; n++) {
    const redirect_uri = encodeURIComponent("http://localhost:3000/callback");
    const start = await fetch(`${server.url}/sign-in?redirect_uri=${redirect_uri}&login_hint=ada`, {
      redirect: "manual",
    });
    starts.push(start.headers.get("location")!);
  }
  const ids = idsOf(await server.control("GET /flows?result=open"));
  expect(ids).toHaveLength(4);
  const first = await server.control("GET /flows?result=open&limit=2");
  // The third to begin is the last of this page.
  for (let next: string | null = starts[2]!; next?.startsWith(server.url);)
    next = (await fetch(next, { redirect: "manual" })).headers.get("location");
  expect(idsOf(await server.control("GET /flows?result=open"))).toEqual(ids.filter((_, n) => n !== 1));
  expect(idsOf(await server.control(`GET /flows?result=open&limit=2&after=${afterOf(first)}`))).toEqual(ids.slice(2));
});

it("A page of requests is empty, and no error, when the log has dropped all that came before it", async () => {
  const service = await setup({ control: true });
  const headers = { authorization: `Bearer ${CONTROL_KEY}` };
  const read = (query: string): Promise<Response> => service.fetch(`/__svc/v1/requests?${query}`, { headers });
  const fill = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await service.fetch("/api/v1/users");
  };
  await fill(3);
  const page = await read("control=false&limit=1");
  const [{ id }] = (await page.json()) as [{ id: string }];
  await fill(2000);
  expect(await answer(await read(`control=false&limit=1&after=${afterOf(page)}`))).toEqual([200, []]);
  expect((await read(`after=${id}`)).status).toBe(400);
});
