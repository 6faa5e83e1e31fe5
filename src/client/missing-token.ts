import { ERRORS } from "../wire/errors.ts";
import { TokenError } from "./errors.ts";

/** There is no token to verify: nothing was sent, or the argument is empty. */
export function missingToken(): TokenError {
  return new TokenError("missing_token", ERRORS.missing_token.error, { reason: "missing" });
}
