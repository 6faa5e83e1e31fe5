import { ATTEMPT, setCookie } from "./svc.ts";

/** What a user reads for each way in which a sign-in can end without a token. */
const FAILURES: Readonly<Record<string, string>> = {
  access_denied: "You cancelled the sign-in.",
  email_not_verified: "Your e-mail address is not verified there. Verify it with the provider, then try again.",
  account_conflict: "Another account has your e-mail address. Sign in the way you did the first time.",
  temporarily_unavailable: "Sign-in is not available at the moment. Please try again in a minute.",
  expired: "This sign-in has expired. Please start again.",
};

const OTHER = "The sign-in failed. Please try again.";

/** Ends the attempt, and redirects to the page, which explains what happened in its own words. */
export function failed(error: string): Response {
  const location = `/?error=${Object.hasOwn(FAILURES, error) ? error : "server_error"}`;
  return new Response(null, { status: 303, headers: { location, "set-cookie": setCookie(ATTEMPT, "", 0) } });
}

export function messageOf(error: string): string {
  return (Object.hasOwn(FAILURES, error) && FAILURES[error]) || OTHER;
}
