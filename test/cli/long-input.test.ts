import { expect, it } from "vitest";
import { runCli } from "../_cli.ts";

it.each([
  ["tokens verify -", "Standard input has more than 64 MiB."],
  ["users get --file /dev/zero", '--file: "/dev/zero" has more than 64 MiB.'],
])("svc %s stops reading what never ends", async (command, message) => {
  let taken = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (; ; taken++) yield Buffer.alloc(1 << 20, "a");
  }
  const { code, stderr } = await runCli(command.split(" "), { stdin: endless() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(taken).toBeLessThan(66);
});
