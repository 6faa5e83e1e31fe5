import { createHash } from "node:crypto";

/** Names a sign-in in logs: the same at every process and every step, and no way back to the state, which is a secret. */
export function flowIdOf(state: string): string {
  return createHash("sha256").update(`flow ${state}`).digest("hex").slice(0, 16);
}
