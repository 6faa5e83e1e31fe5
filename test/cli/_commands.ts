// Below the faces: commander's own tree, in which no command can be forgotten.
import type { Command } from "commander";
import { createProgram } from "../../src/cli/create-program.ts";
import type { Needs } from "../../src/cli/context.ts";
import { needsOf } from "../../src/cli/needs.ts";
import { createContext } from "../_cli.ts";

interface Found {
  /** As it is typed behind `svc`, with a flag that makes it need more. */
  readonly line: string;
  readonly needs: Needs | undefined;
  /** Whether it asks before it does something. */
  readonly asks: boolean;
}

/** Every command with what it needs, from commander's own tree: one that is added is in the tests that use it. */
export async function everyCommand(): Promise<readonly Found[]> {
  return found(await createProgram(createContext(), "0.0.0", () => true), "");
}

function found(group: Command, path: string): Found[] {
  return group.commands.flatMap((command) => {
    const line = `${path}${command.name()}`;
    if (command.commands.length > 0) return found(command, `${line} `);
    const needs = needsOf(command, {});
    const asks = command.options.some(({ long }) => long === "--yes");
    const more = command.options.flatMap((option) => {
      const others = needsOf(command, { [option.attributeName()]: true });
      const isSame = others?.on === needs?.on && others?.changes === needs?.changes;
      return isSame ? [] : [{ line: `${line} ${option.long!}`, needs: others, asks }];
    });
    return [{ line, needs, asks }, ...more];
  });
}
