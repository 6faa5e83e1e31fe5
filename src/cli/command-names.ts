import type { Command } from "commander";

/** Every command, by its heading in the help. */
export const COMMAND_NAMES = {
  "Find and delete": ["users", "sessions", "tokens", "instances"],
  "Choose a service": ["login", "logout", "profiles", "whoami"],
  "Run one locally": ["serve", "init", "open", "exec", "env"],
  Develop: ["sign-in", "dev", "logs", "api"],
  Administer: ["store", "doctor", "completion", "__complete", "help"],
} as const;

export type CommandName = (typeof COMMAND_NAMES)[keyof typeof COMMAND_NAMES][number];

/** What `svc help` explains beside commands. The texts are only loaded to be printed. */
export const TOPIC_NAMES = ["query", "output", "options", "environment", "exit-codes"] as const;

/** As it is typed, e.g. `svc users get`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
