import { isUuid } from "../../wire/ids.ts";
import { normalizeEmail } from "../../wire/text/fold.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { ipNetwork } from "../ip-network.ts";
import { quoted } from "../output/format.ts";

/** Whether a value with wildcards at its ends can mean a name. */
export function isLike(name: string, value: string): boolean {
  const part = value.replace(/^\*|\*$/g, "");
  const at = name.indexOf(part);
  return at >= 0 && (value.startsWith("*") || at === 0) && (value.endsWith("*") || name.endsWith(part));
}

/** What is wrong with a value of `--user`. As a term it can be sent all the same. */
export function checkUserId(id: string): CliError | undefined {
  if (/^\*?[0-9a-f-]*\*$|^\*[0-9a-f-]*$/i.test(id) || isUuid(id.toLowerCase())) return undefined;
  const hint = id.includes("@") ? `To search by address: --email ${quoted(id)}` : "Find the id with: svc users search";
  return new CliError(EXIT.usage, `--user: "${id}" is not a user id.`, hint);
}

/** The same of `--email`. */
export function checkEmail(value: string): CliError | undefined {
  if (value.includes("*") || normalizeEmail(value) !== undefined) return undefined;
  return new CliError(
    EXIT.usage,
    `--email: "${value}" is not an e-mail address.`,
    `To find a part of one: --email ${quoted(`*${value}*`)}`,
  );
}

/** @throws {CliError} for what no address has after its @ */
export function checkedDomain(value: string): string {
  const isDomain = normalizeEmail(`a@${value}`) !== undefined;
  if (isDomain && (value.includes(".") || value === "localhost")) return value;
  const [, below] = /^\*?\.(.+)$/.exec(value) ?? [];
  throw new CliError(
    EXIT.usage,
    `--email-domain: "${value}" is not a whole domain, such as acme.test.`,
    below === undefined
      ? `To find a part of an address: --email ${quoted(`*${value.replaceAll("*", "")}*`)}`
      : `For the domains below it: --email ${quoted(`*.${below}`)}`,
  );
}

/** What is wrong with a value of `--ip`. */
export function checkIp(value: string): CliError | undefined {
  if (ipNetwork(value) || /^\*?[0-9a-f.:]*\*$|^\*[0-9a-f.:]*$/i.test(value)) return undefined;
  return new CliError(
    EXIT.usage,
    `--ip: "${value}" is neither an IP address nor a network.`,
    "Write 203.0.113.7, 203.0.113.0/24, 2001:db8::/32, or the start of an address: '203.0.*'",
  );
}
