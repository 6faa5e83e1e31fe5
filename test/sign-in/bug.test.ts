// Below the faces: no request makes a sign-in throw what is not expected.

import { expect, it, onTestFinished } from "vitest";
import { SIGN_IN_ERRORS } from "../../src/wire/errors.ts";
import { createService } from "../../src/server/service.ts";
import { createAddresses } from "../../src/server/instances/addresses.ts";
import { createOffers } from "../../src/server/providers/offers.ts";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { APP, FRONT, SEED, START } from "../_setup.ts";

it("An unexpected error in a sign-in is reported with its stack, and the application gets server_error", async () => {
  const store = openMemoryStore();
  await store.seed(parseSeed(JSON.stringify(SEED), "seed", START));
  const warnings: string[] = [];
  const { app, stop } = await createService({
    store,
    addresses: createAddresses(FRONT, 7820),
    isLocal: true,
    isFresh: false,
    now: () => START,
    offers: createOffers({ mode: "auto", globals: {}, isLocal: true }),
    locate() {
      throw new RangeError("a bug");
    },
    warn: (message) => warnings.push(message),
  });
  onTestFinished(stop);

  let location = `${FRONT}/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" }).toString()}`;
  while (!location.startsWith(APP))
    location = (await app.fetch(new Request(location))).headers.get("location") ?? "no redirect";

  expect(Object.fromEntries(new URL(location).searchParams)).toEqual({
    error: "server_error",
    error_description: SIGN_IN_ERRORS.server_error,
  });
  expect(warnings).toEqual([expect.stringMatching(/^internal error: RangeError: a bug\n\s+at /)]);
});
