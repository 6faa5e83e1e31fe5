import { expect } from "vitest";
import { runCli } from "./_cli.ts";

export interface CommandHelp {
  readonly path: readonly string[];
  readonly help: string;
  /** As shown in the help, such as `-y, --yes`. */
  readonly options: readonly string[];
}

interface Entry {
  readonly command: string;
  readonly commands: readonly Entry[];
}

/** Every command, such as `svc users get`, as `svc help --json` has them. */
export async function commandPaths(): Promise<string[]> {
  const paths = ({ command, commands }: Entry): string[] => [command, ...commands.flatMap(paths)];
  return paths(JSON.parse((await runCli(["help", "--json"])).stdout) as Entry);
}

/** The tree of commands from their help. */
export async function everyCommand(path: readonly string[] = []): Promise<CommandHelp[]> {
  const { code, stdout, stderr } = await runCli([...path, "--help"]);
  expect([code, stderr, stdout.startsWith(`Usage: ${["svc", ...path].join(" ")}`)]).toEqual([0, "", true]);
  const section = (title: string): string[] =>
    new RegExp(`^${title}:\\n((?: {2}.*\\n)+)`, "m").exec(stdout)?.[1]?.match(/(?<=^ {2})\S.*?(?= {2}|$)/gm) ?? [];
  const own = { path, help: stdout, options: section("Options") };
  const groups = [
    "Commands",
    "Find and delete",
    "Choose a service",
    "Run a local server",
    "Develop",
    "Administer",
    "Help",
  ];
  const children = groups.flatMap(section).flatMap((line) => /^[a-z-]+/.exec(line) ?? []);
  const below: CommandHelp[] = [];
  for (const child of children) if (child !== "help") below.push(...(await everyCommand([...path, child])));
  return [own, ...below];
}
