import type { ControlClient } from "./client.ts";

/** The id of the user with this e-mail address, in the named instance or the first. Undefined if no user has it. */
export async function userIdByEmail(
  control: ControlClient,
  email: string,
  instance: string | undefined,
): Promise<string | undefined> {
  // A pattern would find others.
  if (/[\s*]/.test(email)) return undefined;
  const [found] = await control.request("GET /users", { query: { query: `email:${email}`, limit: 1, instance } });
  return found?.id;
}
