// Below the faces: a sign-in for each of 38,000 addresses would take an hour.
import { expect, it } from "vitest";
import { Refusal } from "../../src/server/errors.ts";
import { redirectRule } from "../../src/server/sign-in/redirect-rule.ts";
import { corpus, hostByRfc, isMeant, PREVIEWS, within } from "./_previews.ts";

const redirect_uris = PREVIEWS.map(({ entry }) => entry);

function isAccepted(uri: string, preview = true): boolean {
  try {
    redirectRule(uri, { name: "Previews", redirect_uris, preview }, { isPlainClient: false }, false);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === "invalid_redirect_uri") return false;
    throw error;
  }
}

it("T69: of over 38,000 addresses, previews accept none that a browser or another program would open elsewhere", () => {
  const uris = corpus();
  expect(uris.length).toBeGreaterThan(38_000);
  const accepted = uris.filter((uri) => isAccepted(uri));
  expect(accepted.filter((uri) => !isMeant(uri))).toEqual([]);
  expect(accepted.filter((uri) => hostByRfc(uri) !== new URL(uri).host && !/:443/.test(uri))).toEqual([]);
  // Otherwise the corpus would prove nothing.
  expect(accepted.length).toBeGreaterThan(50);
});

it("Previews accept every address within their entries, with a nonce behind it too", () => {
  expect(within().length).toBeGreaterThan(100);
  expect(within().filter((uri) => !isAccepted(uri))).toEqual([]);
  expect(within().filter((uri) => !isMeant(uri))).toEqual([]);
});

it("T69: an instance that is not for previews accepts none of them, whatever its store contains", () => {
  expect([...within(), ...redirect_uris].filter((uri) => isAccepted(uri, false))).toEqual([]);
});
