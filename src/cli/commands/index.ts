import { enumerated } from "../../wire/text/suggestion.ts";
import { PROVIDERS } from "../../wire/providers.ts";
import type { Program } from "../command.ts";
import type { Context } from "../context.ts";

type AddCommand = (program: Program, context: Context) => void;

/** What the list of commands says of it, and its file. */
type Entry = readonly [description: string, load: () => Promise<AddCommand>];

/** Every command, by its heading in the help. Each has a file, which is loaded when its name is typed. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "Find and delete:": {
    users: ["find, read and delete users", async () => (await import("./users/index.ts")).addUsers],
    sessions: ["read, search and prune sessions", async () => (await import("./sessions/index.ts")).addSessions],
    tokens: ["verify and decode tokens", async () => (await import("./tokens/index.ts")).addTokens],
  },
  "Choose a service:": {
    login: ["store the address and the secret key of a service", async () => (await import("./login.ts")).addLogin],
    profiles: ["list and switch stored services", async () => (await import("./profiles/index.ts")).addProfiles],
    whoami: ["show which service, instance and key are used", async () => (await import("./whoami.ts")).addWhoami],
    logout: ["delete a stored secret key", async () => (await import("./logout.ts")).addLogout],
  },
  "Run a local server:": {
    init: [
      "write svc.config.json and a seed file into this directory",
      async () => (await import("./init/index.ts")).addInit,
    ],
    serve: [
      `run a local server, with ${enumerated(PROVIDERS, "and")} simulated`,
      async () => (await import("./serve/index.ts")).addServe,
    ],
    "sign-in": [
      "sign in as a user of your application, and print what the token says",
      async () => (await import("./sign-in/index.ts")).addSignIn,
    ],
    open: ["open the service's pages in a browser", async () => (await import("./open.ts")).addOpen],
  },
  "Develop:": {
    dev: [
      "decide what happens to sign-ins, time and records on a development server",
      async () => (await import("./dev/index.ts")).addDev,
    ],
    logs: [
      "print requests and the steps of sign-ins, and follow them",
      async () => (await import("./logs/index.ts")).addLogs,
    ],
    exec: [
      "run a command, such as tests, with a server of its own",
      async () => (await import("./exec/index.ts")).addExec,
    ],
    env: [
      "print the variables by which a program finds the local server",
      async () => (await import("./env/index.ts")).addEnv,
    ],
  },
  "Administer:": {
    instances: ["list and resolve instances", async () => (await import("./instances/index.ts")).addInstances],
    api: ["send one request, and print the response body", async () => (await import("./api.ts")).addApi],
    store: ["inspect, repair and copy a store", async () => (await import("./store/index.ts")).addStore],
    doctor: [
      "find what is wrong with this setup, and how to fix it",
      async () => (await import("./doctor/index.ts")).addDoctor,
    ],
  },
  "Help:": {
    completion: [
      "print a shell's completion script",
      async () => (await import("./completion/index.ts")).addCompletion,
    ],
    __complete: [
      "what can be typed next; for completion scripts",
      async () => (await import("./completion/index.ts")).addComplete,
    ],
    version: [
      "print the versions of svc, Node.js and the system",
      async () => (await import("./version.ts")).addVersion,
    ],
    help: ["print the help of a command, or a topic", async () => (await import("./help.ts")).addHelp],
  },
};

/** @param isAsked by its name, whether a command is to be run; of others the program knows the name alone */
export async function addCommands(
  program: Program,
  context: Context,
  isAsked: (name: string) => boolean,
): Promise<void> {
  for (const [heading, commands] of Object.entries(COMMANDS))
    for (const [name, [description, load]] of Object.entries(commands)) {
      if (isAsked(name)) (await load())(program, context);
      else program.command(name, { hidden: name.startsWith("__") });
      program.commands.at(-1)!.description(description).helpGroup(heading);
    }
}
