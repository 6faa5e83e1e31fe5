import { hash } from "node:crypto";

/** Names a sign-in in logs: the same at every process and every step, and no way back to the state, which is a secret. */
export function flowIdOf(state: string): string {
  return hash("sha256", `flow ${state}`).slice(0, 16);
}
