/** What a user reads for each way in which a sign-in can end without a token. */
const FAILURES: Readonly<Record<string, string>> = {
  access_denied: "You cancelled the sign-in.",
  email_not_verified: "Your e-mail address is not verified there. Verify it with the provider, then try again.",
  temporarily_unavailable: "Sign-in is not available at the moment. Please try again in a minute.",
  sign_in_not_begun: "This sign-in has expired. Please start again.",
  sign_in_refused: "Please sign in here.",
};

const OTHER = "The sign-in failed. Please try again.";

/** The code for the address of the page, which explains what happened in its own words. */
export function known(code: string): string {
  return Object.hasOwn(FAILURES, code) ? code : "server_error";
}

export function messageOf(error: string): string {
  return (Object.hasOwn(FAILURES, error) && FAILURES[error]) || OTHER;
}
