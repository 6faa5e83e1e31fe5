// Below the faces: the dashboard's sentences without a browser for each row.

import { expect, it } from "vitest";
import { sentence } from "../../src/dashboard/ui/text.ts";

it.each([
  ["github reported access_denied instead of a code", "GitHub reported access_denied instead of a code."],
  ["github: no verified primary e-mail address", "GitHub: no verified primary e-mail address."],
  ["invalid_redirect_uri: it is missing", "invalid_redirect_uri: it is missing."],
  ["this sign-in was already finished", "This sign-in was already finished."],
  ["redirect_uri is missing", "redirect_uri is missing."],
  ["No reason was recorded.", "No reason was recorded."],
])("The dashboard writes the reason %j as a sentence", (reason, expected) => {
  expect(sentence(reason)).toBe(expected);
});
