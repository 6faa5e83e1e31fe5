import { expect, it } from "vitest";
import { startServer } from "../_control.ts";

const FILES = ["/__svc/", "/__svc/dashboard.js", "/__svc/dashboard.css"];

it("The dashboard is less than 200 KB in all", async () => {
  const { url } = await startServer();
  const texts = await Promise.all(FILES.map(async (path) => (await fetch(url + path)).text()));
  const { length } = texts.join("");
  expect(length).toBeGreaterThan(100_000);
  expect(length).toBeLessThan(200_000);
});

it("A browser that has the dashboard's files, or the OpenAPI document, is told so", async () => {
  const { url } = await startServer();
  for (const path of [...FILES, "/__svc/openapi.json"]) {
    const first = await fetch(url + path);
    const etag = first.headers.get("etag")!;
    expect([first.headers.get("cache-control"), (await first.text()).length > 0]).toEqual(["no-cache", true]);
    const again = await fetch(url + path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await fetch(url + path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  }
});

// A compressed length would tell a secret letter by letter, where an answer has it beside what a request chose (BREACH).
it("No answer is compressed", async () => {
  const { url, control } = await startServer();
  const { body } = (await control("POST /instances/acme/reveal", {})) as { body: { secret_key: string } };
  const headers = { "accept-encoding": "gzip", "x-service-secret-key": body.secret_key };
  for (const path of ["/api/v1/users", "/.well-known/openid-configuration", "/", ...FILES]) {
    const answered = await fetch(url + path, { headers });
    expect([path, answered.status, answered.headers.get("content-encoding")]).toEqual([path, 200, null]);
  }
});
