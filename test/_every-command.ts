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

/** Every command with its help, without svc help itself. */
export async function everyCommand(): Promise<CommandHelp[]> {
  const paths = (await commandPaths()).filter((path) => path !== "svc help");
  return Promise.all(
    paths.map(async (command) => {
      const path = command.split(" ").slice(1);
      const { code, stdout, stderr } = await runCli([...path, "--help"]);
      expect([code, stderr, stdout.includes(`Usage: ${command} `)]).toEqual([0, "", true]);
      const section = /^Options:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1] ?? "";
      return { path, help: stdout, options: section.match(/(?<=^ {2})\S.*?(?= {2}|$)/gm) ?? [] };
    }),
  );
}
