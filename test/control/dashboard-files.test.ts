import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { startServer } from "../_control.ts";

interface Received {
  readonly encoding: string | undefined;
  readonly length: number;
  readonly body: Buffer;
}

/** A request that decodes nothing, unlike `fetch`. */
function receive(url: string, accepted?: string, method = "GET"): Promise<Received> {
  return new Promise((resolve, reject) => {
    get(url, { method, headers: accepted === undefined ? {} : { "accept-encoding": accepted } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { "content-encoding": encoding, "content-length": length } = response.headers;
        resolve({ encoding, length: Number(length), body: Buffer.concat(chunks) });
      });
    }).on("error", reject);
  });
}

const FILES = ["/__svc/", "/__svc/dashboard.js", "/__svc/dashboard.css"];

it("The dashboard is sent compressed, less than 70 KB in all, to a browser that accepts gzip", async () => {
  const { url } = await startServer();
  let bytes = 0;
  for (const path of FILES) {
    const plain = await receive(url + path);
    const compressed = await receive(url + path, "gzip, deflate, br, zstd");
    expect([plain.encoding, compressed.encoding]).toEqual([undefined, "gzip"]);
    expect(gunzipSync(compressed.body)).toEqual(plain.body);
    expect(compressed.length).toBe(compressed.body.length);
    expect(await receive(url + path, "gzip", "HEAD")).toMatchObject({ encoding: "gzip", length: compressed.length });
    bytes += compressed.length;
  }
  expect(bytes).toBeGreaterThan(40_000);
  expect(bytes).toBeLessThan(70_000);
});

it.each(["/__svc/openapi.json"])(
  "%s, which is the same for everybody, is sent compressed and known again",
  async (path) => {
    const { url } = await startServer();
    const [plain, compressed] = await Promise.all([receive(url + path), receive(url + path, "gzip")]);
    expect([plain.encoding, compressed.encoding]).toEqual([undefined, "gzip"]);
    expect(gunzipSync(compressed.body)).toEqual(plain.body);
    expect(compressed.length).toBeLessThan(40_000);
    const etag = (await fetch(url + path)).headers.get("etag") ?? "";
    expect((await fetch(url + path, { headers: { "if-none-match": etag } })).status).toBe(304);
  },
);

it("An answer with data or a secret is never compressed", async () => {
  const { url, control } = await startServer();
  const { body } = (await control("GET /users")) as { body: { data: object }[] };
  expect(body.length).toBeGreaterThan(0);
  const { body: keys } = (await control("POST /instances/acme/reveal", {})) as { body: { secret_key: string } };
  const headers = { "accept-encoding": "gzip", "x-service-secret-key": keys.secret_key };
  for (const path of ["/api/v1/users", "/.well-known/openid-configuration", "/"]) {
    const answered = await fetch(url + path, { headers });
    expect([path, answered.status, answered.headers.get("content-encoding")]).toEqual([path, 200, null]);
  }
});

it.each([
  ["gzip", "gzip"],
  ["br;q=1.0, GZIP;q=0.8, *;q=0.1", "gzip"],
  ["gzip;q=1", "gzip"],
  ["deflate,gzip", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip; q=0.000, br", undefined],
  ["br", undefined],
  ["identity", undefined],
  ["notgzip", undefined],
  ["gzipped", undefined],
])("The dashboard's script for accept-encoding %j has the encoding %j", async (accepted, encoding) => {
  const { url } = await startServer();
  expect((await receive(`${url}/__svc/dashboard.js`, accepted)).encoding).toBe(encoding);
});

it("A browser that has the dashboard's files is told so, whether or not they were compressed", async () => {
  const { url } = await startServer();
  for (const path of FILES) {
    const first = await fetch(url + path);
    const etag = first.headers.get("etag")!;
    expect([first.headers.get("cache-control"), (await first.text()).length > 0]).toEqual(["no-cache", true]);
    for (const encoding of ["gzip", "identity"]) {
      const again = await fetch(url + path, { headers: { "if-none-match": etag, "accept-encoding": encoding } });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await fetch(url + path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  }
});
