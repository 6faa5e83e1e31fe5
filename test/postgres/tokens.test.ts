import { expect, it } from "vitest";
import { setup } from "../_setup.ts";
import { ACCEPTED, expectAccepted, expectRefused, expectUnknown, REFUSED, UNKNOWN } from "../_signed-elsewhere.ts";
import { createDatabase } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

it("Tokens that another program signed get the same answers with PostgreSQL as with the file store", async () => {
  const service = await setup({ control: true, store: await open(await createDatabase()) });
  for (const [, make] of ACCEPTED) await expectAccepted(service, make);
  for (const [, make] of UNKNOWN) await expectUnknown(service, make);
  for (const [, error, reason, make] of REFUSED) await expectRefused(service, make, error, reason);
  expect(service.log.bugs).toEqual([]);
});
