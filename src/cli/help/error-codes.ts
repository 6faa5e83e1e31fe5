import type { CLI_ERRORS } from "../exit-codes.ts";

/** What the command line's own codes mean. */
export const CLI_ERROR_MEANINGS: Readonly<Record<keyof typeof CLI_ERRORS, string>> = {
  usage: "Unknown, missing or contradictory arguments, flags or variables",
  no_key: "No service or no secret key is configured",
  failed: "The command could not do its work, or was declined",
  some_failed: "Finished, but some failed",
  precondition: "Something is not as the command needs it, such as an unexpected count",
  port_unavailable: "The port is in use, or must not be used",
  store_locked: "Another process is using the store",
  store_damaged: "The store is damaged",
  store_unusable: "The store cannot be used",
  store_unavailable: "The store cannot be read or written now",
  import_refused: "The file cannot be imported",
  not_executable: "svc exec: the command cannot be executed",
  command_not_found: "svc exec: the command was not found",
  interrupted: "Interrupted",
  terminated: "Terminated",
  unexpected: "A defect of svc",
};
