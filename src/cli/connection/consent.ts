import { isFrontOf } from "../choices.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { requirePrompt } from "../output/prompts.ts";
import { counted, harmless, say } from "../output/text.ts";
import { few } from "../../text/suggestion.ts";
import { numberFrom } from "../quantities.ts";
import type { Target } from "./sources.ts";
import { LOCAL } from "./target.ts";

/** On commands that destroy records. */
export const YES_FLAG = ["-y, --yes", "do not ask for confirmation"] as const;

/** How many records may be destroyed. */
export interface Limits {
  readonly expect: number | undefined;
  readonly max: number;
}

const MOST = 999_999_999;

export function limitsOf({ max, expect }: { readonly max?: string; readonly expect?: string }): Limits {
  return {
    max: max === undefined ? Infinity : numberFrom("--max", max, 1, MOST),
    expect: expect === undefined ? undefined : numberFrom("--expect", expect, 0, MOST),
  };
}

/**
 * @param found what has this number, such as `the query matches`
 * @param unchanged what a refusal means, such as `No users were deleted.`
 * @param more flags that are needed beside a greater `--max`
 * @throws {CliError} exit code 8 if the number is not the expected one, or too great
 */
export function checkLimits(
  count: number,
  { expect, max }: Limits,
  said: { readonly noun: string; readonly found: string; readonly unchanged: string; readonly more?: string },
): void {
  const { noun, found, unchanged, more = "" } = said;
  if (expect !== undefined && count !== expect)
    throw new CliError(
      EXIT.precondition,
      `Expected ${expect}, but ${found} ${count}. ${unchanged}`,
      "Preview with --dry-run.",
    );
  if (count > max)
    throw new CliError(
      EXIT.precondition,
      `${counted(count, noun)} ${count === 1 ? "is" : "are"} more than ${max}. ${unchanged}`,
      `To delete all of them: --max ${count}${more}`,
    );
}

/** What was chosen, as far as consent depends on it. */
export interface Chosen {
  readonly profile: Target["profile"];
  /** Whether a profile was chosen by no flag of this command. */
  readonly isByDefault: boolean | undefined;
  /** Whether something named an instance, and not only the server's order. */
  readonly isNamed: boolean;
  /** The subdomains that the server has. */
  readonly instances: readonly string[];
}

/** Where something is to be destroyed. */
interface Consented {
  /** In words. */
  readonly place: string;
  readonly choice: Chosen;
}

/** What a target of the product API was chosen by. */
export function chosenIn({ base_url, secret_key, server, instance, profile, isByDefault }: Target): Chosen {
  // The front door's address names the server alone.
  const isAtFront = server && base_url && isFrontOf(server.url, base_url.value);
  const naming = isAtFront ? [secret_key] : [base_url, secret_key];
  const isNamed = instance !== undefined || naming.some((value) => value && value.source !== LOCAL);
  const instances = server?.instances.map(({ subdomain }) => subdomain) ?? [];
  return { profile, isByDefault, isNamed, instances };
}

/** A flag that `--yes` needs beside it. */
export interface MissingFlag {
  readonly flag: string;
  readonly why: string;
}

/** Without a question, nothing may be chosen by default. */
export function missingNames({ profile, isByDefault, isNamed, instances }: Chosen): MissingFlag[] {
  const missing: MissingFlag[] = [];
  if (isByDefault && profile) {
    const which = profile.source === "SVC_PROFILE" ? "the profile of SVC_PROFILE" : "the current profile";
    missing.push({
      flag: `--profile ${profile.value}`,
      why: `--yes does not delete from ${which} unless it is named.`,
    });
  }
  if (!isNamed && instances.length > 1)
    missing.push({
      flag: `--instance ${instances[0]}`,
      why: `--yes does not choose among the instances ${few(instances)}.`,
    });
  return missing;
}

/** @throws {UsageError} if `--yes` is not enough. @param unchanged what that means, such as `No users were deleted.` */
export function refuseMissing(missing: readonly MissingFlag[], unchanged: string): void {
  if (missing.length === 0) return;
  throw new UsageError(
    `${missing.map(({ why }) => why).join(" ")} ${unchanged}`,
    `If that is what you expect, add:${flagsOf(missing)}`,
  );
}

/** Every flag that takes the place of an answer. */
export function yesWith(missing: readonly MissingFlag[]): string {
  return `--yes${flagsOf(missing)}`;
}

/** Each with a space before it. */
export function flagsOf(missing: readonly MissingFlag[]): string {
  return missing.map(({ flag }) => ` ${flag}`).join("");
}

/** Has a person agree. @param what such as `Delete the users of Acme` @param flags what agrees instead */
export async function requireYes(context: Context, what: string, flags: string, note = ""): Promise<void> {
  requirePrompt(context, `To ${what.charAt(0).toLowerCase()}${what.slice(1)}, add ${flags}.`);
  if (!(await context.confirm(`${what}?${note}`))) throw new CliError(EXIT.failed, "Declined. Nothing was changed.");
}

/**
 * Has a person agree to what destroys records, or says with `--yes` where it happens.
 * @param does such as `Delete the users of Acme`, which the server's address follows
 */
export async function consentAt(
  context: Context,
  { place, choice }: Consented,
  { yes, json }: { readonly yes?: boolean; readonly json?: boolean },
  does: string,
  note = "",
): Promise<void> {
  const what = harmless(`${does} at ${place}`);
  const missing = missingNames(choice);
  if (yes) {
    refuseMissing(missing, "Nothing was changed.");
    return json ? undefined : say(context, what);
  }
  await requireYes(context, what, yesWith(missing), note);
}

/**
 * Before a change that asks for no consent: where only their order chose among several instances, a person is asked.
 * @param does such as `Create ada@acme.test in Acme`
 * @throws {UsageError} without a person
 */
export async function requireNamed(context: Context, { place, choice }: Consented, does: string): Promise<void> {
  if (choice.isNamed || choice.instances.length < 2) return;
  await requireYes(context, harmless(`${does} at ${place}`), flagsOf(missingNames(choice)).trim());
}
