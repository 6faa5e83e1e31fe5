import { ADA, SESSION } from "./_setup.ts";
import type { Ask, Told } from "./_sockets.ts";
import { expect } from "vitest";

/** What may stand where an id belongs, as it is sent, and is none. */
export const NO_IDS = [
  "ada",
  "0",
  "-",
  "~",
  "...",
  "null",
  "undefined",
  "a@b.test",
  "*",
  "a:b",
  ";a=b",
  "<b>",
  '"ada"',
  "x".repeat(8000),
  "%20",
  "%",
  "%zz",
  "%00",
  "%c0%af",
  "a%40b.test",
  "a%20b",
  "a%2Fb",
  "a%5cb",
  "%73earch",
  "%2573earch",
  "searc%68",
  "%2e%2e%2fsearch",
  "..%2f..%2fusers",
  "'%20OR%201=1%20--",
  ...[ADA, SESSION].flatMap((id) => [
    `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
    `${id}%00`,
    `${id}%20`,
    `%20${id}`,
    `${id}%2f`,
    `${id}%3flimit=1`,
    `${id};x=y`,
    `${id},${id}`,
    id.replaceAll("-", ""),
    id.slice(0, -1),
  ]),
];

/** What stands there and is another path. */
export const OTHER_PATHS = [
  "",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  ".%2e",
  "%2e.",
  "a/b",
  `${ADA}/`,
  "/",
  "a\\b",
  "\\",
  "a#b",
  "#",
];

/**
 * Expects each text to be a user and a session that is not found, and to change nothing.
 * @param send one request of a client with acme's key
 */
export async function expectNotFound(send: (ask: Ask) => Promise<Told>): Promise<void> {
  for (const id of NO_IDS) {
    for (const [method, path, noun] of [
      ["GET", `/api/v1/users/${id}`, "User"],
      ["DELETE", `/api/v1/users/${id}`, "User"],
      ["GET", `/api/v1/users/${id}?limit=1`, "User"],
      ["GET", `/api/v1/sessions/${id}`, "Session"],
    ] as const) {
      const { status, body } = await send({ method, path });
      expect([method, path, status, body]).toEqual([method, path, 404, `{"error":"${noun} not found"}`]);
    }
  }
  expect((await send({ path: `/api/v1/users/${ADA}` })).status).toBe(200);
  expect((await send({ path: `/api/v1/sessions/${SESSION}` })).status).toBe(200);
}
