import { expect, it } from "vitest";
import { answerOf, server, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

it("svc dev keys rotate masks the secret key except in JSON, and invalidates old tokens", async () => {
  const { stdout: token } = await svc("dev token --user ada");
  const before = server.instances[0]!;
  const masked = await svc("dev keys rotate --publishable-key --yes --instance acme");
  const now = server.instances[0]!;
  expect(now.secret_key).not.toBe(before.secret_key);
  expect(masked.stdout).toContain(now.publishable_key);
  expect(masked.stdout).not.toContain(now.secret_key);
  expect(masked.stderr).toContain(
    "\nTo print the new secret key, in the server's directory: svc env --instance acme\n",
  );
  expect((await svc("dev keys rotate --instance globex --yes")).stderr).toMatch(/: svc env --instance globex\n$/);
  const again = await answerOf<{ secret_key: string }>("dev keys rotate --instance acme --yes");
  expect(again.secret_key).toBe(server.instances[0]!.secret_key);
  const response = await fetch(`${server.url}/api/v1/tokens/verify`, {
    method: "POST",
    headers: { "x-service-secret-key": again.secret_key, "content-type": "application/json" },
    body: JSON.stringify({ token: token.trim() }),
  });
  expect(response.status).toBe(401);
});

it("svc dev keys rotate --keep-old lets tokens of the old secret key verify, until revoke-old", async () => {
  const { stdout: token } = await svc("dev token --user ada@acme.test");
  const status = async (): Promise<number> =>
    (
      await fetch(`${server.url}/api/v1/tokens/verify`, {
        method: "POST",
        headers: { "x-service-secret-key": server.instances[0]!.secret_key, "content-type": "application/json" },
        body: JSON.stringify({ token: token.trim() }),
      })
    ).status;
  const { stderr } = await svc("dev keys rotate --keep-old 1h --yes --instance acme");
  expect(stderr).toMatch(
    /^The old secret key goes on verifying tokens until 20\S+Z\. Give applications the new one now\.$/m,
  );
  expect(await status()).toBe(200);
  expect((await svc("dev keys revoke-old --yes --instance acme")).stderr).toMatch(
    /^Revoke the old secret keys of Acme .*\nRevoked the old secret keys of acme \(http.*\)\.\n$/,
  );
  expect(await status()).toBe(401);
});
