import type { CommandMap } from "./command-map.ts";
import { TOPICS } from "./topics.ts";

/** The page `docs/cli.md`: every command, and the topics. */
export function toMarkdown(program: CommandMap): string {
  const all = [program, ...program.commands.flatMap(withSubcommands)];
  const links = all.map(
    ({ command, description }) => `- [\`${command}\`](#${command.replaceAll(" ", "-")}): ${plain(description)}`,
  );
  return [
    "# The command line",
    "This page is what `svc help` says. It is written by `npm run docs`; a test compares the two.",
    links.slice(1).join("\n"),
    ...all.map(section),
    ...Object.entries(TOPICS).map(
      ([name, { description, text }]) => `## svc help ${name}\n\n${capital(description)}.\n\n${code("text", text())}`,
    ),
  ].join("\n\n");
}

function withSubcommands(command: CommandMap): CommandMap[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function section(map: CommandMap): string {
  const { command, description, usage, examples, options, notes, exit_codes } = map;
  const parts = [
    `## ${command}`,
    `${plain(capital(description.replace(/\.$/, "")))}.`,
    code("text", usage),
    examples.length === 0 ? "" : code("sh", examples.map((one) => `# ${one.description}\n${one.command}`).join("\n\n")),
    table(
      "Argument",
      map.arguments.map(({ name, description: what, choices }) => [name, told(what, choices)]),
    ),
    table(
      "Option",
      options.map(({ flags, description: what, choices }) => [flags, told(what, choices)]),
    ),
    notes === null ? "" : code("text", notes),
    exit_codes.length === 0 ? "" : `Exit codes: ${exit_codes.join(", ")}.`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function told(description: string, choices: readonly string[] | null): string {
  return choices === null ? description : [description, `one of ${choices.join(", ")}`].filter(Boolean).join("; ");
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(([name, what]) => `| \`${name}\` | ${plain(what)} |`);
  return [`| ${title} | |`, "| --- | --- |", ...lines].join("\n");
}

/** Text that Markdown takes for nothing else. */
function plain(text: string): string {
  return text.replace(/[|<*]/g, "\\$&");
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
