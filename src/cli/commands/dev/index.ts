import { withHelp, type Program } from "../../command.ts";
import type { Surroundings } from "../../context.ts";
import { addClock } from "./clock.ts";
import { addInstances } from "./instances.ts";
import { addKeys } from "./keys.ts";
import { addSeed } from "./seed.ts";
import { addSessions } from "./sessions.ts";
import { addSignIns } from "./sign-ins.ts";
import { addSnapshot } from "./snapshot.ts";
import { addToken } from "./token.ts";
import { addUsers } from "./users.ts";

export function add(program: Program, context: Surroundings): void {
  const dev = program.command("dev");
  withHelp(dev, {
    examples: [
      ["svc dev next github --outcome access_denied", "the next sign-in is declined"],
      ["svc dev clock advance 61m", "let an hour pass"],
      ["svc dev token --user ada --kind expired", "a token that has expired"],
    ],
    notes:
      "These commands ask the control API of the local server of this directory. For another server set\n" +
      "SVC_CONTROL_URL and SVC_CONTROL_KEY.",
  });
  const groups = [addSignIns, addClock, addToken, addSnapshot, addSeed, addUsers, addSessions, addInstances, addKeys];
  for (const addGroup of groups) addGroup(dev, context);
}
