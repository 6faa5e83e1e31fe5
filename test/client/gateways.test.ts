import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createClient, isServiceError, ServiceError } from "../../src/client/index.ts";
import { createContext } from "../_cli.ts";

const KEY = "sk_test_0123456789abcdefghijklmnopqrstuvwxyz";

/** A server that gives every request this answer, or the beginning of one, and then hangs up. */
async function startServer(status: number, body: string, missing = 0): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-length": body.length + missing, "retry-after": "7" });
    response.write(body, () => missing > 0 && response.destroy());
    if (missing === 0) response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failureAt(baseUrl: string): Promise<unknown> {
  const client = createClient({ secretKey: KEY, baseUrl, retry: 0 });
  onTestFinished(() => client.close());
  return client.users.list().then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function printedAt(baseUrl: string): Promise<{ code: number; stderr: string }> {
  const context = createContext({ env: { SVC_SECRET_KEY: KEY, SVC_BASE_URL: baseUrl, SVC_RETRIES: "0" } });
  const code = await main(["users", "list", "--json"], { ...context, fetch: undefined });
  return { code, stderr: context.written.stderr };
}

describe("A gateway in front of the service", () => {
  it.each([
    [502, "unavailable", "<html>Bad gateway</html>"],
    [503, "unavailable", "no healthy upstream"],
    [503, "unavailable", ""],
    [503, "unavailable", '"maintenance"'],
    [504, "unavailable", "<html>"],
    [429, "rate_limited", "<html>Slow down</html>"],
  ])("that answers %i is %s, whatever its body is: %j says %j", async (status, code, body) => {
    const baseUrl = await startServer(status, body);
    const error = await failureAt(baseUrl);
    expect(isServiceError(error, code as "unavailable")).toBe(true);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code, status, retryAfterMs: 7000 });
    const printed = await printedAt(baseUrl);
    expect([printed.code, JSON.parse(printed.stderr)]).toMatchObject([7, { error: { code } }]);
  });
});

describe("A response that ends in the middle", () => {
  it.each([200, 404])("with status %i is a lost connection, and is not said to be out of reach", async (status) => {
    const baseUrl = await startServer(status, '[{"id":', 100);
    const error = (await failureAt(baseUrl)) as Error;
    expect(error).toMatchObject({ name: "ConnectionError", code: "connection" });
    expect(error.message).toContain(`${baseUrl} closed the connection in the middle of its response (`);
    const { code, stderr } = await printedAt(baseUrl);
    const said = JSON.parse(stderr) as { error: { message: string; hint: string } };
    expect([code, said]).toMatchObject([7, { error: { code: "connection" } }]);
    expect(said.error.message).toMatch(/^127\.0\.0\.1:\d+ closed the connection in the middle of its response \(/);
    expect(said.error.hint).not.toContain("https");
  });
});
