import { expect, it } from "vitest";
import { start, useProcesses } from "../_bin.ts";

useProcesses();

const TESTING = new URL("../../dist/testing/index.js", import.meta.url).href;

it("a program ends by itself although it never closes the service that it started", async () => {
  const program = `
    import { startTestService } from ${JSON.stringify(TESTING)};
    const svc = await startTestService();
    await svc.signIn({ as: "ada" });
    await fetch(svc.url + "/__svc/health/ready").then((response) => response.text());
    console.log((await svc.client().users.list({ limit: 1 })).length);`;
  const { ended } = start(["node", "--input-type=module", "--eval", program], {}, "env");
  expect(await ended).toMatchObject({ code: 0, stdout: "1\n" });
});
