import type { Context } from "../context.ts";
import type { Program } from "../program.ts";

type AddCommand = (program: Program, context: Context) => void;

interface Entry {
  /** What the list of commands says of it. */
  readonly description: string;
  readonly hidden?: true;
  load(): Promise<AddCommand>;
}

/** Every command, in the order of the help. Each has a file, which is loaded when its name is typed. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  init: {
    description: "write svc.config.json, and a seed, into this directory",
    load: async () => (await import("./init.ts")).addInit,
  },
  serve: {
    description: "run the service on this machine, with google, github and twitter simulated",
    load: async () => (await import("./serve/index.ts")).addServe,
  },
  "sign-in": {
    description: "sign in as one of your application's users would, and print what the token says",
    load: async () => (await import("./sign-in/index.ts")).addSignIn,
  },
  users: { description: "find, read and delete users", load: async () => (await import("./users/index.ts")).addUsers },
  sessions: {
    description: "read and search sessions",
    load: async () => (await import("./sessions/index.ts")).addSessions,
  },
  tokens: { description: "verify and read tokens", load: async () => (await import("./tokens/index.ts")).addTokens },
  query: { description: "understand searches", load: async () => (await import("./query/index.ts")).addQuery },
  instances: { description: "find instances", load: async () => (await import("./instances/index.ts")).addInstances },
  store: {
    description: "look after a server's records, and move them",
    load: async () => (await import("./store/index.ts")).addStore,
  },
  api: {
    description: "send one request to the service, and print its answer as it is",
    load: async () => (await import("./api.ts")).addApi,
  },
  open: {
    description: "open the service's pages in a browser",
    load: async () => (await import("./open.ts")).addOpen,
  },
  login: { description: "keep a secret key for a service", load: async () => (await import("./login.ts")).addLogin },
  logout: { description: "forget a kept secret key", load: async () => (await import("./logout.ts")).addLogout },
  whoami: {
    description: "print whom commands here would ask, and where each value is from",
    load: async () => (await import("./whoami.ts")).addWhoami,
  },
  profiles: {
    description: "choose among the services you are logged in to",
    load: async () => (await import("./profiles/index.ts")).addProfiles,
  },
  config: {
    description: "read and change what a profile says",
    load: async () => (await import("./config/index.ts")).addConfig,
  },
  doctor: {
    description: "look for what is wrong here, and say what to do",
    load: async () => (await import("./doctor/index.ts")).addDoctor,
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
    description: "print the version, and whether there is a newer one",
    load: async () => (await import("./version.ts")).addVersion,
  },
  help: { description: "print a command's help, or a topic", load: async () => (await import("./help.ts")).addHelp },
};

/** @param isAsked by its name, whether a command is to be run; of others the program knows the name alone */
export async function addCommands(
  program: Program,
  context: Context,
  isAsked: (name: string) => boolean,
): Promise<void> {
  for (const [name, { description, hidden, load }] of Object.entries(COMMANDS)) {
    if (isAsked(name)) (await load())(program, context);
    else program.command(name, { hidden: hidden ?? false });
    program.commands.at(-1)!.description(description);
  }
}
