import { expect, it } from "vitest";
import { ask, listening } from "../_sockets.ts";
import { KEY } from "../_raw-http.ts";

it("a search of 8,192 bytes is answered over a socket although percent-encoding makes it 24 KiB", async () => {
  const { port } = await listening();
  const query = `name:${"é".repeat(4093)}`;
  const encoded = `/api/v1/users/search?query=${encodeURIComponent(query)}`;
  expect([Buffer.byteLength(query), encoded.length > 24_000]).toEqual([8191, true]);
  const answer = await ask(port, { path: encoded, headers: ["X-Service-Secret-Key", KEY] });
  expect([answer.status, answer.body]).toEqual([200, "[]"]);
});

it("a request whose request line and headers exceed 32 KiB is refused", async () => {
  const { port } = await listening();
  const answer = await ask(port, { path: `/api/v1/users/search?query=${"x".repeat(33_000)}` });
  expect([answer.status, answer.body]).toEqual([431, '{"error":"Request headers too large"}']);
});
