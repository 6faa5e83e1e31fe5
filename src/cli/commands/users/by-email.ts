import type { Client } from "../../../client/client.ts";
import type { User } from "../../../wire/resources.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

/**
 * The only user with an e-mail address.
 * @param outcome what a failure meant for what was to be done, such as ` No users were deleted.`
 * @throws {CliError} if none has it, or several do
 */
export async function findByEmail(client: Client, email: string, outcome = ""): Promise<User> {
  if (/[\s*]/.test(email)) throw new CliError(EXIT.usage, `"${email}" is not an e-mail address.${outcome}`);
  const [user, ...others] = await client.users.search(`email:${email}`);
  if (!user)
    throw new CliError(
      EXIT.notFound,
      `No user has the e-mail address ${email}.${outcome}`,
      `To find a part of it: svc users search email.contains=${email.split("@")[0]}`,
      "user_not_found",
    );
  if (others.length > 0)
    throw new CliError(
      EXIT.failed,
      `${others.length + 1} users have the e-mail address ${email}.${outcome}`,
      `List them with: svc users search --email ${email}`,
    );
  return user;
}
