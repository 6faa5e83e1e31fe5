import { readFile, readdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "oxc-parser";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the package exports, and what its command runs. */
const FACES = /^src\/(?:client\/(?:index|verify|sign-in|middleware)|server\/index|testing\/.*|cli\/main)\.ts$/;
/** The contract's tables, such as `PROVIDERS`, say how things are called. */
const TABLES = /^src\/wire\//;
const OF_A_TABLE = /^[A-Z][A-Z_]+$/;

const REASON = /^\/\/ Below the faces: .+\.\n/;

/** They say no reason yet. Take a file away when it has one or needs none; add none. */
const WITHOUT_A_REASON: Record<string, string> = {
  test: `
    _cli _cli-home _many-users _memory-server _picker _provider _server-file _setup _store-commands`,
  "test/api": `
    error-codes.test inputs.test loopback.test paging.test positions.test query.property.test search-errors.test
    users.test zod-errors.test`,
  "test/browser": `
    dashboard-views.test landing.test page-attacks.test`,
  "test/cli": `
    _commands _transcripts bin-serve.test completion.test config.test dev-logs.test doctor.test environment.test
    error-codes.test exit-codes.test guesses.test help-width.test help.test import-page.test init-seed.test
    leaves-no-failures.test line-log.test list.test local-server.test map.test npx.test output.test
    own-clients.test profiles.test programs.test proxy.test query.test relative-time.test run-functions.test
    serve-log.test sign-in-steps.test system-program.test token-reasons.test tools.test`,
  "test/client": `
    faults.test lists.test planted.test query.test runtimes.test undici.test`,
  "test/control": `
    client.test connection-test.test copy-as-curl.test flow-markdown.test generated-users.test generation.test
    picker.test reason-sentence.test redaction.test routes.test typed-accounts.test user-addresses.test
    waiting-scenarios.test`,
  "test/disk": `
    decode.test`,
  "test/faults": `
    _processes _worker bug.test damage.test full-disk.test model.test move.test partitions.test serve.test
    unsynced.test`,
  "test/package": `
    documents.test new-column-postgres.test new-column.test`,
  "test/postgres": `
    _store address-parameters.test address.test clocks.test closed.test engines.test few-connections.test
    foreign-schema.test given-up.test long-list.test migrate.test missing-functions.test move.test moving.test
    neighbours.test parity.property.test pgbouncer.test planted-functions.test processes.test refused-start.test
    reset-connections.test search.test serializable.test store.test tls.test writes.test young-pool.test`,
  "test/project": `
    addresses.test commands-in-documents.test docs.test place.test structure.test`,
  "test/providers": `
    proxy.test replies.test`,
  "test/security": `
    csv.test forwarded.test found-config.test planted-repositories.test prototypes.test registered-first.test
    secrets.test slow-text.test terminal.test tokens.test`,
  "test/server": `
    config-file.test config.test connections.test front-door-ports.test long-addresses.test memory.test
    operations.test page-files.test random.test raw-http-clients.test retention-pause.test seed-elsewhere.test
    serve-seed.test serve.test settle.test sweep.test`,
  "test/sign-in": `
    _linking browser.test bug.test callback.test caller.test geo.test linking.test many-personas.test picker.test
    preview-corpus.test preview-entries.test redirect-corpus.test redirect-entries.test removal.test
    returned-parameters.test spellings.test start-limit.test strict.test`,
  "test/store": `
    _changing _file _held-log _journal _move _records commits.test compact.test create-directories.test
    document.test files.test foreign-writes.test journal.test list.test memory.test missing-document.test
    move.test refusals.test rename-new.test root.test secrets.test states.test text.test unreachable.test
    write-atomically.test`,
};

it("A test that imports what is below the faces says why at its top, or is in a list that only shrinks", async () => {
  const files = (await readdir(join(ROOT, "test"), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const silent = await Promise.all(
    files.toSorted().map(async (name) => {
      const file = `test/${name}`;
      const source = await readFile(join(ROOT, file), "utf8");
      return REASON.test(source) || !(await reachesBelow(file, source)) ? [] : [file];
    }),
  );
  const known = Object.entries(WITHOUT_A_REASON).flatMap(([folder, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => `${folder}/${name}.ts`),
  );
  expect(silent.flat()).toEqual(known.toSorted());
});

/** Whether a file imports a value of `src` that is not at a face. */
async function reachesBelow(file: string, source: string): Promise<boolean> {
  const { module } = await parse(file, source);
  const taken = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.flatMap(({ isType, importName }) => (isType ? [] : { from: moduleRequest.value, name: importName.name })),
  );
  const loaded = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    from: source.slice(start + 1, end - 1),
    name: null,
  }));
  return [...taken, ...loaded].some(({ from, name }) => {
    const module_ = normalize(join(dirname(file), from));
    if (!from.startsWith(".") || !module_.startsWith("src/") || FACES.test(module_)) return false;
    return !(TABLES.test(module_) && OF_A_TABLE.test(name ?? ""));
  });
}
