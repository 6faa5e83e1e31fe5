import { expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createClient } from "../../src/client/index.ts";
import { createContext } from "../_cli.ts";
import { caught, KEY, startServer } from "../_client.ts";

it.each([200, 404])(
  "A response of status %i that ends in the middle is a lost connection, and is not said to be out of reach",
  async (status) => {
    const { origin: baseUrl } = await startServer((_, response) => {
      response.writeHead(status, { "content-length": 100 });
      response.write('[{"id":', () => response.destroy());
    });
    const client = createClient({ secretKey: KEY, baseUrl, retry: 0 });
    onTestFinished(() => client.close());
    const error = (await caught(client.users.list())) as Error;
    expect(error).toMatchObject({ name: "ConnectionError", code: "connection" });
    expect(error.message).toContain(`${baseUrl} closed the connection in the middle of its response (`);
    const context = createContext({ env: { SVC_SECRET_KEY: KEY, SVC_BASE_URL: baseUrl, SVC_RETRIES: "0" } });
    const code = await main(["users", "list", "--json"], { ...context, fetch: undefined });
    const said = JSON.parse(context.written.stderr) as { error: { message: string; hint: string } };
    expect([code, said]).toMatchObject([7, { error: { code: "connection" } }]);
    expect(said.error.message).toMatch(/^127\.0\.0\.1:\d+ closed the connection in the middle of its response \(/);
    expect(said.error.hint).not.toContain("https");
  },
);
