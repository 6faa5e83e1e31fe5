// Writes docs/testing-reference.md: every method of the test kit with its options and results, from the types and schemas.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "oxc-parser";

const SECTIONS = [
  ["svc", "test-service.ts", "TestService"],
  ["svc.scenarios", "scenarios.ts", "TestScenarios"],
  ["svc.clock", "clock.ts", "TestClock"],
  ["svc.tokens", "records.ts", "TestTokens"],
  ["svc.users", "records.ts", "TestUsers"],
  ["svc.sessions", "records.ts", "TestSessions"],
  ["svc.snapshots", "records.ts", "TestSnapshots"],
  ["svc.flows", "flows.ts", "TestFlows"],
  ["agent", "signed-in.ts", "SignedInAgent"],
  ["credentials", "signed-in.ts", "Credentials"],
  ["instance", "records.ts", "TestInstance"],
];
const OPTIONS = [
  ["signed-in.ts", "SignInToOptions"],
  ["signed-in.ts", "CredentialsOptions"],
  ["index.ts", "ConnectOptions"],
];
/** Types that are a route's body, query or answer. */
const ROUTES = [
  ["SignInOptions", "POST /sign-ins", "body"],
  ["SignInResult", "POST /sign-ins", "answer"],
  ["NewScenario", "POST /scenarios", "body"],
  ["Scenario", "GET /scenarios", "answer"],
  ["NewToken", "POST /tokens", "body"],
  ["Minted", "POST /tokens", "answer"],
  ["Search", "GET /users", "query"],
  ["TestUser", "GET /users/:id", "answer"],
  ["TestSession", "GET /sessions/:session_id", "answer"],
  ["FlowFilter", "GET /flows", "query"],
  ["Flow", "GET /flows", "answer"],
];
/** Where a type differs from its route. */
const RENAMED = { SignInOptions: { redirect_uri: "redirectUri" } };
const LEFT_OUT = { NewScenario: ["label"], Search: ["instance"], FlowFilter: ["wait", "format"] };

/**
 * @param {Readonly<Record<string, string>>} sources the files of src/testing by their paths there
 * @param {any} openApi the description of the control API
 */
export function testingReference(sources, openApi) {
  const interfaces = new Map(
    [...SECTIONS, ...OPTIONS].map((section) => [section.at(-1), membersOf(sources[section.at(-2)], section.at(-1))]),
  );
  const lines = [
    "# Reference of the test kit",
    "",
    "`npm run docs` makes this page from the types. [testing.md](testing.md) has recipes.",
    "",
  ];
  for (const [prefix, , name] of SECTIONS) {
    lines.push(`## \`${prefix}\`: ${name}`, "");
    for (const { signature, text } of interfaces.get(name)) lines.push(entry(`${prefix}.${signature}`, text));
    lines.push("");
  }
  lines.push("## Options", "");
  for (const [, name] of OPTIONS) {
    lines.push(`### ${name}`, "");
    for (const { signature, text } of interfaces.get(name)) lines.push(entry(signature, text));
    lines.push("");
  }
  lines.push("## Data", "", "Records and bodies are those of the control API, in `snake_case`.", "");
  for (const [name, route, part] of ROUTES) {
    lines.push(`### ${name}`, "", `The ${PARTS[part]} of \`${route}\`.`, "");
    lines.push("| Field | Type | |", "| --- | --- | --- |");
    for (const row of fieldsOf(name, route, part, openApi)) lines.push(row);
    lines.push("");
  }
  return lines.join("\n");
}

const PARTS = { body: "body", query: "query", answer: "answer" };

function entry(signature, text) {
  return `- \`${signature}\`${text === "" ? "" : `: ${text}`}`;
}

/** @returns {{ signature: string, text: string }[]} */
function membersOf(source, name) {
  const { program, comments } = parseSync("file.ts", source);
  const declaration = program.body
    .map((node) => node.declaration ?? node)
    .find((node) => node.type === "TSInterfaceDeclaration" && node.id.name === name);
  return declaration.body.body
    .filter(({ computed }) => !computed)
    .map(({ start, end }) => {
      const doc = comments.find((one) => one.end <= start && source.slice(one.end, start).trim() === "");
      const signature = source
        .slice(start, end)
        .replace(/;$/, "")
        .replace(/\s+/g, " ")
        .replace(/^readonly /, "");
      return { signature: signature.replaceAll("( ", "(").replaceAll(", )", ")"), text: doc ? inWords(doc.value) : "" };
    });
}

/** A docstring in sentences. */
function inWords(comment) {
  const [text = "", ...tags] = comment
    .replace(/^\s*\* ?/gm, "")
    .replace(/\s+/g, " ")
    .trim()
    .split(/(?:^| )(?=@(?:param|returns|throws) )/);
  const said = tags.map((tag) =>
    tag
      .replace(/^@param (\w+) /, "`$1`: ")
      .replace(/^@returns /, "Returns ")
      .replace(/^@throws \{(\w+)\}/, "Throws `$1`"),
  );
  return [text, ...said]
    .filter((part) => part !== "")
    .map((part) => (/[.:]$/.test(part) ? part : `${part}.`))
    .join(" ");
}

function fieldsOf(name, route, part, { paths }) {
  const [method, path] = route.split(" ");
  const operation = paths[`/__svc/v1${path.replace(/:(\w+)/g, "{$1}")}`][method.toLowerCase()];
  const left = LEFT_OUT[name] ?? [];
  const rows = (properties, prefix = "") =>
    Object.entries(properties)
      .filter(([field]) => prefix !== "" || !left.includes(field))
      .flatMap(([field, schema]) => {
        const inner = schema.type === "object" && schema.properties;
        const shown = RENAMED[name]?.[field] ?? field;
        const own = `| \`${prefix}${shown}\` | ${typeOf(schema)} | ${cell(schema.description ?? "")} |`;
        return inner ? rows(schema.properties, `${prefix}${shown}.`) : [own];
      });
  if (part === "query")
    return rows(
      Object.fromEntries(
        operation.parameters
          .filter((one) => one.in === "query")
          .map((one) => [one.name, { ...one.schema, description: one.description ?? one.schema.description }]),
      ),
    );
  const { content } =
    part === "body" ? operation.requestBody : (operation.responses["200"] ?? operation.responses["201"]);
  const { schema } = content["application/json"];
  return rows((schema.items ?? schema).properties);
}

function typeOf({ type, enum: values, const: constant, anyOf, items }) {
  if (constant !== undefined) return `\`${constant}\``;
  if (values) return values.map((value) => `\`${value}\``).join(", ");
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "array") return `list of ${items?.type === "object" ? "objects" : typeOf(items ?? {})}`;
  return [type ?? "any"].flat().join(" or ");
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}

/** The files that it is made from. */
export async function readSources(root) {
  const files = [...new Set([...SECTIONS, ...OPTIONS].map((section) => section.at(-2)))];
  const read = files.map(async (file) => [file, await readFile(join(root, "src/testing", file), "utf8")]);
  return Object.fromEntries(await Promise.all(read));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { createTestService } = await import(new URL("dist/testing/index.js", import.meta.url).href);
  const svc = await createTestService();
  const openApi = await (await svc.fetch("/__svc/openapi.json")).json();
  await svc.close();
  await writeFile("docs/testing-reference.md", testingReference(await readSources("."), openApi));
}
