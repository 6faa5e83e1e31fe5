import * as fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import * as z from "zod/mini";
import { CONTROL_ROUTES } from "../../src/wire/control/routes.ts";
import type { RouteDefinition } from "../../src/wire/route.ts";
import type { ControlRoute } from "../../src/wire/control/types.ts";
import { setup, CONTROL_KEY, type Service } from "../_setup.ts";

const WITH_BODY = (Object.entries(CONTROL_ROUTES) as [ControlRoute, RouteDefinition][]).filter(
  ([route, { body }]) => body !== undefined && route !== "POST /dashboard-keys",
);

let service: Service;
beforeAll(async () => {
  service = await setup({ control: true });
});

async function send(route: string, body: string): Promise<{ status: number; text: string }> {
  const [method = "", path = ""] = route.split(" ");
  const place = path
    .replace(":provider", "google")
    .replace(":session_id", "svc_session_00000000-0000-4000-8000-00000000a001")
    .replace("/users/:id", "/users/00000000-0000-4000-8000-0000000000a1")
    .replace("/personas/:id", "/personas/ada")
    .replaceAll(/:\w+/g, "acme");
  const response = await service.fetch(`/__svc/v1${place}`, {
    method,
    headers: { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

async function content(): Promise<string> {
  const { store } = service;
  const settings = (await store.settings("")).filter(({ name }) => !name.startsWith("secret/"));
  return JSON.stringify([await store.counts(), await store.instances(), await store.personas(), settings]);
}

const anything = fc.anything({ withBigInt: false, withDate: false, withMap: false, withSet: false });

it.each(WITH_BODY.map(([route, { body }]) => [route, body!] as const))(
  "%s answers 400 with advice to every body that its schema rejects, and changes nothing",
  async (route, schema) => {
    const valid = z.looseObject({});
    const before = await content();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anything,
          fc.dictionary(
            fc.constantFrom(
              "name",
              "email",
              "all",
              "at",
              "by",
              "to",
              "kind",
              "match",
              "times",
              "users",
              "id",
              "client_id",
              "token",
              "unknown",
            ),
            anything,
            { maxKeys: 4 },
          ),
        ),
        async (body) => {
          const text = JSON.stringify(body);
          fc.pre(text !== undefined && !schema.safeParse(JSON.parse(text)).success);
          const answered = await send(route, text!);
          expect([text, answered.status]).toEqual([text, 400]);
          const { error } = valid.parse(JSON.parse(answered.text)) as { error: string };
          expect(error).toMatch(/^(?:Bad request: [\w.[\]$ ]*|Invalid JSON)/);
        },
      ),
      { numRuns: 40 },
    );
    for (const text of ["{", '{"a":1,"a":2}', "[]", "null", "1", '"x"'])
      expect((await send(route, text)).status).toBe(400);
    expect(await content()).toBe(before);
  },
);
