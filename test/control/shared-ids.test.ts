import { expect, it } from "vitest";
import { ADA, CONTROL_KEY, setup, type Service } from "../_setup.ts";

const SESSION = "svc_session_5b1e7f3c-0000-4000-8000-000000000001";

/** Ada and a session at acme, and a user and a session with the same ids at globex. */
async function twins(): Promise<Service> {
  const service = await setup({ control: true });
  const { store, acme, globex } = service;
  const ada = (await store.findUser(acme.id, ADA))!.user;
  for await (const [found] of store.sessions(acme.id, { limit: 1 })) {
    const session = { ...found!, session_id: SESSION, user_id: ADA };
    const users = [{ ...ada, instance_id: globex.id, name: "Ada of Globex", email: "ada@globex.test" }];
    const id = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
    await store.add({
      users,
      sessions: [
        { ...session, id: id(1) },
        { ...session, id: id(2), instance_id: globex.id },
      ],
    });
  }
  return service;
}

async function send(service: Service, route: string, body?: object): Promise<{ status: number; text: string }> {
  const [method, path] = route.split(" ");
  const response = await service.fetch(`/__svc/v1${path}`, {
    method: method!,
    headers: { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

it("An id that two instances have is refused until the instance is named, by every route that takes one", async () => {
  const service = await twins();
  const refused = { status: 409, text: expect.stringMatching(/Conflict: 2 instances have .* \?instance=/) as string };
  for (const [route, body] of [
    [`GET /users/${ADA}`],
    [`PATCH /users/${ADA}`, { name: "Countess" }],
    [`DELETE /users/${ADA}`],
    [`GET /sessions/${SESSION}`],
    [`POST /sessions/${SESSION}/revoke`, {}],
    [`POST /sessions/${SESSION}/restore`, {}],
  ] as const)
    expect([route, await send(service, route, body)]).toEqual([route, refused]);

  const text = (part: string): object => ({ status: 200, text: expect.stringContaining(part) as string });
  expect(await send(service, `GET /users/${ADA}?instance=globex`)).toEqual(text("Ada of Globex"));
  expect(await send(service, `PATCH /users/${ADA}?instance=globex`, { name: "Countess" })).toEqual(text("Countess"));
  expect((await send(service, `GET /users/${ADA}?instance=acme`)).text).not.toContain("Countess");
  expect(await send(service, `POST /sessions/${SESSION}/revoke?instance=globex`)).toEqual(text('"active":false'));
  expect(await send(service, `GET /sessions/${SESSION}?instance=acme`)).toEqual(text('"active":true'));
  expect(await send(service, `POST /sessions/${SESSION}/restore?instance=globex`)).toEqual(text('"active":true'));
  expect(await send(service, `DELETE /users/${ADA}?instance=acme`)).toEqual(text(ADA));
  // One is left, which its id names.
  expect(await send(service, `GET /users/${ADA}`)).toEqual(text("Countess"));
  expect((await send(service, `GET /users/${ADA}?instance=acme`)).status).toBe(404);
  expect((await send(service, `GET /users/${ADA}?instance=unknown`)).status).toBe(404);
});
