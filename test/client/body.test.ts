import { once } from "node:events";
import { expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { caught, KEY, startServer } from "../_client.ts";
import { ADA } from "../_setup.ts";

const MIB = Buffer.alloc(2 ** 20, " ");

it.each([
  ["at once", 0],
  ["bit by bit", 5],
])("A response body over the limit is refused, and the rest is not received, if it arrives %s", async (_, pauseMs) => {
  let closed: Promise<unknown> | undefined;
  const { origin } = await startServer((request, response) => {
    closed = once(request.socket, "close");
    response.write(MIB);
    setTimeout(() => response.write("more"), pauseMs);
  });
  const error = await caught(createClient({ secretKey: KEY, baseUrl: origin }).users.get(ADA));
  expect(error).toMatchObject({ code: "response_too_large", status: 200 });
  await closed;
});
