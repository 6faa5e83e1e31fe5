import type { Client } from "../../../client/client.ts";
import type { User } from "../../../wire/resources.ts";
import { CliError, EXIT, UsageError } from "../../errors.ts";
import { quoted } from "../../output/text.ts";

/**
 * The only user with an e-mail address.
 * @throws {CliError} if none has it, or several do
 */
export async function findByEmail(client: Client, email: string): Promise<User> {
  if (/[\s*]/.test(email)) throw new UsageError(`"${email}" is not an e-mail address.`);
  return onlyOne(await client.users.search(`email:${email}`), email);
}

/**
 * The only one of the users with an e-mail address.
 * @param outcome what a failure means for what was to be done, such as ` No users were deleted.`
 * @throws {CliError} if none has it, or several do
 */
export function onlyOne([user, ...others]: readonly User[], email: string, outcome = ""): User {
  if (!user)
    throw new CliError(
      EXIT.notFound,
      `No user has the e-mail address ${email}.${outcome}`,
      `To find a part of it: svc users search ${quoted(`email.contains=${email.split("@")[0]}`)}`,
      "user_not_found",
    );
  if (others.length > 0)
    throw new CliError(
      EXIT.failed,
      `${others.length + 1} users have the e-mail address ${email}.${outcome}`,
      `List them with: svc users search --email ${quoted(email)}`,
    );
  return user;
}
