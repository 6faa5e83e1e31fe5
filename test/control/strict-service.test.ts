import { expect, it } from "vitest";
import { createTestService, startTestService } from "../../src/testing/index.ts";
import { APP, SEED } from "../_setup.ts";

const REGISTERED = { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: [APP] }] } as never;

it.each(Object.entries({ createTestService, startTestService }))(
  "%s with strict refuses an address that is not registered, and without it takes loopback",
  async (_, create) => {
    await using strict = await create({ strict: true, seed: SEED as never });
    await expect(strict.signIn({ as: "ada", redirectUri: APP })).rejects.toThrow(
      "Acme has no redirect_uris. With --strict, or where others can reach the server",
    );
    expect((await strict.signIn({ as: "ada" })).token).toBeTypeOf("string");

    await using registered = await create({ strict: true, seed: REGISTERED });
    expect((await registered.signIn({ as: "ada", redirectUri: APP })).location).toContain(`${APP}?token=`);
    await expect(registered.signIn({ as: "ada", redirectUri: "http://localhost:3000/other" })).rejects.toThrow(
      "it is not one of the redirect_uris of Acme",
    );

    await using lenient = await create({ seed: SEED as never });
    expect((await lenient.signIn({ as: "ada", redirectUri: APP })).token).toBeTypeOf("string");
  },
);
