import { hash } from "node:crypto";

/** Names a sign-in in logs: the same in every process and step. The state, a secret, can't be derived from it. */
export function flowIdOf(state: string): string {
  return hash("sha256", `flow ${state}`).slice(0, 16);
}
