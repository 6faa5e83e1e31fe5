import { expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { setup } from "../_setup.ts";

it.each(["ａda@acme.test", "ᴬda@acme.test", "ⓐda@acme.test"])(
  "T21: svc users delete %s does not delete Ada, whose address it becomes when it is normalized",
  async (address) => {
    const service = await setup();
    const { code, stderr } = await runCli(["users", "delete", address, "--yes"], { service });
    expect([code, stderr]).toEqual([3, expect.stringContaining(`No user has the e-mail address ${address} (`)]);
    const listed = await runCli(["users", "delete", "-", "--yes"], { service, stdin: `${address}\nADA@acme.test\n` });
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining(`1 of 2 not found: ${address}.`)]);
  },
);
