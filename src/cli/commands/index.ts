import { PROVIDERS } from "../../wire/providers.ts";
import { enumerated } from "../../text/suggestion.ts";
import { COMMAND_NAMES, type CommandName } from "../command-names.ts";
import type { Program } from "../command.ts";
import type { Surroundings } from "../context.ts";

/** What the list of commands says of it, and its file. */
type Entry = readonly [
  description: string,
  load: () => Promise<{ add(program: Program, context: Surroundings): void }>,
];

/** Every command's file, which is loaded when its name is typed. */
const COMMANDS: Readonly<Record<CommandName, Entry>> = {
  users: ["find, read and delete users", () => import("./users/index.ts")],
  sessions: ["read, search and prune sessions", () => import("./sessions.ts")],
  tokens: ["verify and decode tokens", () => import("./tokens/index.ts")],
  instances: ["list and resolve instances", () => import("./instances.ts")],
  login: ["store the address and the secret key of a service", () => import("./login.ts")],
  logout: ["delete a stored secret key", () => import("./logout.ts")],
  profiles: ["list and switch stored services", () => import("./profiles.ts")],
  whoami: ["show which service, instance and key are used", () => import("./whoami.ts")],
  serve: [`run a local server, with ${enumerated(PROVIDERS, "and")} simulated`, () => import("./serve/index.ts")],
  init: ["write svc.config.json and a seed file into this directory", () => import("./init.ts")],
  open: ["open the front page or the dashboard in a browser", () => import("./open.ts")],
  exec: ["run a command, such as tests, with a server of its own", () => import("./exec.ts")],
  env: ["print the variables by which a program finds the local server", () => import("./env.ts")],
  "sign-in": [
    "sign in as a user of your application, and print what the token says",
    () => import("./sign-in/index.ts"),
  ],
  dev: ["decide what happens to sign-ins, time and records on a development server", () => import("./dev/index.ts")],
  logs: ["print requests and the steps of sign-ins, and follow them", () => import("./logs/index.ts")],
  api: ["send one request, and print the response body", () => import("./api.ts")],
  store: ["inspect, repair and copy a store", () => import("./store/index.ts")],
  doctor: ["find what is wrong with this setup, and how to fix it", () => import("./doctor/index.ts")],
  completion: ["print a shell's completion script", () => import("./completion/index.ts")],
  __complete: ["what can be typed next; for completion scripts", () => import("./completion/complete.ts")],
  help: ["print the help of a command, or a topic", () => import("./help.ts")],
};

/** @param isAsked by its name, whether a command is to be run; of others the program knows the name alone */
export async function addCommands(
  program: Program,
  context: Surroundings,
  isAsked: (name: string) => boolean,
): Promise<void> {
  for (const [heading, names] of Object.entries(COMMAND_NAMES))
    for (const name of names) {
      const [description, load] = COMMANDS[name];
      if (isAsked(name)) (await load()).add(program, context);
      else program.command(name, { hidden: name.startsWith("__") });
      program.commands.at(-1)!.description(description).helpGroup(heading);
    }
}
