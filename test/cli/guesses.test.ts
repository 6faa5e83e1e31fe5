// Below the faces: every row of the table of guesses.
import { expect, it } from "vitest";
import { MISSING_COMMANDS } from "../../src/cli/help/guesses.ts";
import { commandPaths } from "../_every-command.ts";

it("Every guess is of a command that does not exist, and names commands that do", async () => {
  const paths = new Set(await commandPaths());
  const wrong = MISSING_COMMANDS.flatMap(([words, hint]) => {
    const [last = "", ...before] = words.split(" ").toReversed();
    const guessed = last.split("|").map((word) => ["svc", ...before, word].join(" "));
    const named = [...hint.matchAll(/\bsvc [a-z][a-z-]*(?: [a-z][a-z-]*(?=[ ,;.]|$))?/g)].map(([command]) => command);
    const unknown = named.filter((one) => !paths.has(one) && !paths.has(one.split(" ").slice(0, 2).join(" ")));
    return [...guessed.filter((one) => paths.has(one)), ...unknown];
  });
  expect(wrong).toEqual([]);
});
