import { providerTitle } from "../providers.ts";
import type { AnswerOf } from "./types.ts";

type Scenario = AnswerOf<"GET /scenarios">[number];
type Delay = Scenario["data"]["delay_ms"];

/** What can be delayed at a simulated provider. */
export const DELAYED = ["authorize", "token", "profile"] as const;
export type Delayed = (typeof DELAYED)[number];
/** In milliseconds. */
export type Delays = { readonly [Place in Delayed]?: number | undefined };

const PLACES: Readonly<Record<Delayed, string>> = {
  authorize: "the authorize page",
  token: "the token endpoint",
  profile: "the profile endpoint",
};

/** Milliseconds for each. A number alone is for the authorize page. */
export function delaysOf(delay: Delay): Delays {
  return typeof delay === "number" ? { authorize: delay } : delay;
}

/** `the token endpoint for 12 s`. Undefined without a delay. */
export function delayInWords(delay: Delay): string | undefined {
  const delays = delaysOf(delay);
  const parts = DELAYED.filter((name) => delays[name]).map((name) => `${PLACES[name]} for ${delays[name]! / 1000} s`);
  return parts.length === 0 ? undefined : parts.join(", and for ");
}

/** Which sign-ins a scenario that waits is for, and what becomes of them, as a sentence. @param instance its name */
export function scenarioInWords({ data }: Scenario, instance?: string): string {
  const { match, as, outcome, remaining, delay_ms, profile, omit } = data;
  const many = remaining !== null && remaining > 1;
  const subject = remaining === null ? "Every sign-in" : many ? `The next ${remaining} sign-ins` : "The next sign-in";
  const place = [
    match.provider && `with ${providerTitle(match.provider)}`,
    match.instance && `to ${instance ?? match.instance}`,
    match.login_hint && `for ${match.login_hint}`,
    match.browser && `of the browser ${match.browser}`,
  ];
  const delay = delayInWords(delay_ms);
  const verbs = (one: string, more: string): string => (many ? more : one);
  const predicates = [
    as !== null && `${verbs("is", "are")} ${as}'s`,
    (profile || omit) && `${verbs("gets", "get")} a changed profile`,
    delay && `${verbs("waits", "wait")} for ${delay}`,
    outcome !== "success" && `${verbs("ends", "end")} with ${outcome}`,
  ].filter((part) => typeof part === "string");
  const what = predicates.join(", and ") || `${verbs("skips", "skip")} the account picker`;
  return `${[subject, ...place].filter(Boolean).join(" ")} ${what}.`;
}

/** What a scenario asked for that can make a sign-in fail. Null if that is nothing. */
export function causeOf({
  outcome,
  changesProfile,
  delay_ms,
}: Pick<Scenario["data"], "outcome" | "delay_ms"> & { readonly changesProfile: boolean }): string | null {
  if (outcome !== "success") return outcome;
  if (changesProfile) return "with a changed profile";
  return delayInWords(delay_ms) === undefined ? null : "with a delay";
}
