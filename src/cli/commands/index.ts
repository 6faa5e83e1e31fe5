import { enumerated, PROVIDERS } from "../../wire/names.ts";
import type { Program } from "../command.ts";
import type { Context } from "../context.ts";

type AddCommand = (program: Program, context: Context) => void;

interface Entry {
  /** What the list of commands says of it. */
  readonly description: string;
  readonly hidden?: true;
  load(): Promise<AddCommand>;
}

/** Every command, by its heading in the help. Each has a file, which is loaded when its name is typed. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "Start:": {
    init: {
      description: "write svc.config.json and a seed file into this directory",
      load: async () => (await import("./init/index.ts")).addInit,
    },
    serve: {
      description: `run a local server, with ${enumerated(PROVIDERS, "and")} simulated`,
      load: async () => (await import("./serve/index.ts")).addServe,
    },
    "sign-in": {
      description: "sign in as a user of your application, and print what the token says",
      load: async () => (await import("./sign-in/index.ts")).addSignIn,
    },
    open: {
      description: "open the service's pages in a browser",
      load: async () => (await import("./open.ts")).addOpen,
    },
  },
  "Use:": {
    users: {
      description: "find, read and delete users",
      load: async () => (await import("./users/index.ts")).addUsers,
    },
    sessions: {
      description: "read and search sessions",
      load: async () => (await import("./sessions/index.ts")).addSessions,
    },
    tokens: {
      description: "verify and decode tokens",
      load: async () => (await import("./tokens/index.ts")).addTokens,
    },
    query: {
      description: "explain a search",
      load: async () => (await import("./query/index.ts")).addQuery,
    },
    instances: {
      description: "list and resolve instances",
      load: async () => (await import("./instances/index.ts")).addInstances,
    },
    api: {
      description: "send one request, and print the response body",
      load: async () => (await import("./api.ts")).addApi,
    },
  },
  "Develop:": {
    dev: {
      description: "decide what happens to sign-ins, time and records on a development server",
      load: async () => (await import("./dev/index.ts")).addDev,
    },
    logs: {
      description: "print requests and the steps of sign-ins, and follow them",
      load: async () => (await import("./logs/index.ts")).addLogs,
    },
    exec: {
      description: "run a command, such as tests, with a server of its own",
      load: async () => (await import("./exec/index.ts")).addExec,
    },
    env: {
      description: "print the variables by which a program finds the local server",
      load: async () => (await import("./env/index.ts")).addEnv,
    },
  },
  "Administer:": {
    store: {
      description: "inspect, repair and copy a store",
      load: async () => (await import("./store/index.ts")).addStore,
    },
    doctor: {
      description: "find what is wrong with this setup, and how to fix it",
      load: async () => (await import("./doctor/index.ts")).addDoctor,
    },
  },
  "Configure:": {
    login: {
      description: "store a secret key for a service",
      load: async () => (await import("./login.ts")).addLogin,
    },
    logout: {
      description: "delete a stored secret key",
      load: async () => (await import("./logout.ts")).addLogout,
    },
    whoami: {
      description: "show the active service and credentials",
      load: async () => (await import("./whoami.ts")).addWhoami,
    },
    profiles: {
      description: "list and switch stored services",
      load: async () => (await import("./profiles/index.ts")).addProfiles,
    },
    config: {
      description: "read and change the settings of a profile",
      load: async () => (await import("./config/index.ts")).addConfig,
    },
    completion: {
      description: "print a shell's completion script",
      load: async () => (await import("./completion/index.ts")).addCompletion,
    },
    __complete: {
      description: "what can be typed next; for completion scripts",
      hidden: true,
      load: async () => (await import("./completion/index.ts")).addComplete,
    },
    version: {
      description: "print the version, and check for a newer one",
      load: async () => (await import("./version.ts")).addVersion,
    },
    help: {
      description: "print the help of a command, or a topic",
      load: async () => (await import("./help.ts")).addHelp,
    },
  },
};

/** @param isAsked by its name, whether a command is to be run; of others the program knows the name alone */
export async function addCommands(
  program: Program,
  context: Context,
  isAsked: (name: string) => boolean,
): Promise<void> {
  for (const [heading, commands] of Object.entries(COMMANDS))
    for (const [name, { description, hidden = false, load }] of Object.entries(commands)) {
      if (isAsked(name)) (await load())(program, context);
      else program.command(name, { hidden });
      program.commands.at(-1)!.description(description).helpGroup(heading);
    }
}
