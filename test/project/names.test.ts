import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "oxc-parser";
import { expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** One thing that is exported more than once: as a schema and its type, by each driver of a store, at each entry point. */
const SAME_THING = `
  Client Clock Connection Flow Instance Outcome Persona Scenario Session SignIn State Token User
  DeletedUser Discovery ErrorBody ErrorCode FlowFilter NewScenario NewToken OutcomeId RequestEntry Reset VerifiedToken
  createClient createRecordOperations createSnapshots openMaintenance parseConfig test tokenEndpoints`;

/** What each file of a command exports. */
const OF_COMMANDS = "add runCreate runDelete runGet runList runRestore runUpdate GetOptions";

/** Different things that still have one name. Take a name away when you have found another; add none. */
const STILL_DOUBLE = `
  Chosen Column Listed Names Place Reach Records SeedOptions SignInOptions
  choicesOf connect counted forgetKey inWords instanceInWords instanceName json moment optionsOf page
  time wordsOf`;

it("A name that several modules export is one thing, or one of a list that only shrinks", async () => {
  const known = `${SAME_THING} ${OF_COMMANDS} ${STILL_DOUBLE}`.trim().split(/\s+/);
  expect(await doubles(SRC)).toEqual(known.toSorted());
});

/** The names that more than one file below a folder declares and exports. */
async function doubles(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const perFile = await Promise.all(files.map(async (file) => [...new Set(await declaredIn(join(folder, file)))]));
  const seen = new Set<string>();
  const found = perFile.flat().filter((name) => seen.has(name) || !seen.add(name));
  return [...new Set(found)].toSorted();
}

/** What a file exports and has not from another one. */
async function declaredIn(path: string): Promise<string[]> {
  const { module } = await parse(path, await readFile(path, "utf8"));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, exportName: { name } }) => (moduleRequest || name === null ? [] : [name])),
  );
}
