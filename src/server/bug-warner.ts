import type { SignInDeps } from "./sign-in/deps.ts";

type Warn = (message: string) => void;

/** Warns of an error that should not have happened, with its stack. */
export function bugWarner(warn: Warn): (error: unknown, request_id?: string) => void {
  return (error, request_id) =>
    warn(
      `internal error${request_id === undefined ? "" : ` in request ${request_id}`}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
}

/** What a sign-in tells the operator. */
export function signInWarnings(warn: Warn): Pick<SignInDeps, "onUnlisted"> {
  return {
    onUnlisted: ({ name }, origin) =>
      warn(`a program sends a user of ${name} to ${origin}, which ${name} does not list in redirect_uris`),
  };
}
