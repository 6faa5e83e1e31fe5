// node .ci/cli-reference.js > cli.md: every command and topic on one page, from `svc help --json`. Part of a release.
import { execFileSync } from "node:child_process";

const TOPICS = ["query", "output", "options", "environment", "exit-codes"];
const BIN = new URL("../bin/svc.js", import.meta.url).pathname;

const svc = (...args) => execFileSync(process.execPath, [BIN, ...args], { encoding: "utf8" });
const withAll = (command) => [command, ...command.commands.flatMap(withAll)];
const code = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;
/** Text that Markdown takes for nothing else. */
const plain = (text) => text.replace(/[|<*]/g, "\\$&");

function table(title, rows) {
  if (rows.length === 0) return "";
  const lines = rows.map(([name, what, choices]) => {
    const told = [what, choices && `one of ${choices.join(", ")}`].filter(Boolean).join("; ");
    return `| \`${name}\` | ${plain(told)} |`;
  });
  return [`| ${title} | |`, "| --- | --- |", ...lines].join("\n");
}

function section({ command, description, usage, examples, notes, ...map }) {
  const parts = [
    `## ${command}`,
    plain(description),
    code("text", usage),
    examples.length === 0 ? "" : code("sh", examples.map((one) => `# ${one.description}\n${one.command}`).join("\n\n")),
    table(
      "Argument",
      map.arguments.map((one) => [one.name, one.description, one.choices]),
    ),
    table(
      "Option",
      map.options.map((one) => [one.flags, one.description, one.choices]),
    ),
    notes === null ? "" : code("text", notes),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const sections = withAll(JSON.parse(svc("help", "--json"))).map(section);
const topics = TOPICS.map((name) => `## svc help ${name}\n\n${code("text", svc("help", name).trimEnd())}`);
process.stdout.write(["# The command line", ...sections, ...topics].join("\n\n"));
process.stdout.write("\n");
