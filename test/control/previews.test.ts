import { expect, it } from "vitest";
import { startServer } from "../_control.ts";

const PREVIEW = "https://*.preview.acme.dev/callback";
const SHARED = "https://app-*-team.vercel.app/callback";
const NEEDS_PREVIEW = "a * in the host is for preview instances";

it("The control API takes addresses with a * for preview instances alone, and none that anyone can claim", async () => {
  const { control } = await startServer();
  const said = async (route: string, body: object): Promise<unknown> => (await control(route, body)).body;
  const made = { name: "Previews", subdomain: "previews" };

  expect(await said("POST /instances", { ...made, redirect_uris: [PREVIEW] })).toMatchObject({
    error: expect.stringContaining(`redirect_uris[0]: ${NEEDS_PREVIEW}`) as string,
  });
  expect(await said("POST /instances", { ...made, preview: true, redirect_uris: [PREVIEW, SHARED] })).toMatchObject({
    error: expect.stringContaining("redirect_uris[1]: anyone can claim a name under vercel.app") as string,
  });
  expect(await said("POST /seed", { instances: [{ ...made, preview: true, redirect_uris: [SHARED] }] })).toMatchObject({
    error: expect.stringContaining("instances[0].redirect_uris[0]: anyone can claim a name under vercel.app") as string,
  });
  expect((await control("GET /instances/previews")).status).toBe(404);

  const created = await control("POST /instances", { ...made, preview: true, redirect_uris: [PREVIEW] });
  expect([created.status, created.body.data.preview, created.body.data.redirect_uris]).toEqual([201, true, [PREVIEW]]);
});

it("A change of an instance is checked with what it had before", async () => {
  const { control } = await startServer();
  const patch = async (body: object): Promise<string> => {
    const { status, body: answer } = await control("PATCH /instances/acme", body);
    return status === 200 ? `${answer.data.preview}: ${answer.data.redirect_uris}` : answer.error;
  };
  expect(await patch({ redirect_uris: [PREVIEW] })).toContain(NEEDS_PREVIEW);
  expect(await patch({ redirect_uris: [PREVIEW], preview: true })).toBe(`true: ${PREVIEW}`);
  expect(await patch({ redirect_uris: [SHARED] })).toContain("anyone can claim a name under vercel.app");
  expect(await patch({ preview: false })).toContain(`redirect_uris[0]: ${NEEDS_PREVIEW}`);
  expect(await patch({ name: "Acme previews" })).toBe(`true: ${PREVIEW}`);
  expect(await patch({ preview: false, redirect_uris: [] })).toBe("false: ");
});

it("T69: of two changes at once, none leaves an instance with addresses that it may not have", async () => {
  const { control } = await startServer();
  for (let round = 0; round < 10; round++) {
    await control("PATCH /instances/acme", { preview: true, redirect_uris: [] });
    await Promise.all([
      control("PATCH /instances/acme", { preview: false }),
      control("PATCH /instances/acme", { redirect_uris: [PREVIEW] }),
    ]);
    const { preview, redirect_uris } = (await control("GET /instances/acme")).body.data;
    expect(preview || redirect_uris.length === 0).toBe(true);
  }
});
