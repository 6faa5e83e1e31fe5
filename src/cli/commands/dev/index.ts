import { withHelp, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../errors.ts";
import { addClock } from "./clock.ts";
import { addInstances } from "./instances.ts";
import { addKeys } from "./keys.ts";
import { addSeed } from "./seed.ts";
import { addNext, addOutcomes, addScenarios, addReplay } from "./sign-ins.ts";
import { addReset, addSnapshot } from "./snapshot.ts";
import { addToken } from "./token.ts";
import { addSessions, addUsers } from "./users.ts";

/** In the order of the help. */
const COMMANDS = [
  addNext,
  addScenarios,
  addOutcomes,
  addReplay,
  addClock,
  addToken,
  addSnapshot,
  addReset,
  addSeed,
  addUsers,
  addSessions,
  addInstances,
  addKeys,
];

export function add(program: Program, context: Context): void {
  const dev = program.command("dev");
  withHelp(dev, {
    examples: [
      ["svc dev next github --outcome access_denied", "the next sign-in is declined"],
      ["svc dev clock advance 61m", "let an hour pass"],
      ["svc dev token --user ada --kind expired", "a token that has expired"],
      ["svc dev snapshot save before-import", "keep the records as they are"],
    ],
    exits: DEV_EXITS,
    notes:
      "These commands ask the control API of the local server of this directory. For another server set\n" +
      "SVC_CONTROL_URL and SVC_CONTROL_KEY.",
  });
  for (const addCommand of COMMANDS) addCommand(dev, context);
}
