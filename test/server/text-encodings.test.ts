import { expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { setupProvider } from "../_provider.ts";
import { CONTROL_KEY, setup } from "../_setup.ts";
import { failure } from "../_sign-in.ts";
import { GITHUB_USER } from "../providers/_github.ts";
import { raw } from "../providers/_reply.ts";

/** What an editor or a database of another time writes. */
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

const CONTROL = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };

it("A body of the control API that is not UTF-8 is refused with the line and the byte, and nothing is stored", async () => {
  const service = await setup({ control: true });
  const before = await service.store.counts();
  const send = (body: Buffer): Promise<Response> =>
    service.fetch("/__svc/v1/users", { method: "POST", headers: CONTROL, body });
  const body = latin1('{"email":"jorg@acme.test",\n"name":"Jörg"}');
  expect(await answer(await send(body))).toEqual([
    400,
    { error: "Invalid JSON: it is not text in UTF-8 (line 2, byte 37)" },
  ]);
  expect(await service.store.counts()).toEqual(before);
  const inParts = ReadableStream.from([body.subarray(0, 30), body.subarray(30)]);
  const cut = { method: "POST", headers: CONTROL, body: inParts, duplex: "half" } as unknown as RequestInit;
  expect((await service.fetch("/__svc/v1/users", cut)).status).toBe(400);
});

it("A character in two parts of a body is read whole, and a byte order mark is skipped", async () => {
  const service = await setup({ control: true });
  const body = Buffer.from('\uFEFF{"email":"jorg@acme.test","name":"Jörg"}');
  const parts = ReadableStream.from([body.subarray(0, 41), body.subarray(41)]);
  const init = { method: "POST", headers: CONTROL, body: parts, duplex: "half" } as unknown as RequestInit;
  expect(await answer(await service.fetch("/__svc/v1/users", init))).toMatchObject([201, { data: { name: "Jörg" } }]);
});

it("A body of the product API that is not UTF-8 is answered as no JSON is", async () => {
  const service = await setup();
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: latin1('{"token":"ö"}') };
  expect(await answer(await service.as(service.acme, "/api/v1/tokens/verify", init))).toEqual([
    400,
    { error: "Invalid JSON" },
  ]);
});

it("A profile that is not UTF-8 signs in no user", async () => {
  const fake = await setupProvider("github", {
    "/user": raw(latin1(JSON.stringify({ ...GITHUB_USER, name: "Jörg" }))),
  });
  expect((await fake.signIn()).href).toBe(failure("server_error"));
  expect(fake.service.log.failures).toEqual([expect.stringContaining("not with JSON of the expected form")]);
});
