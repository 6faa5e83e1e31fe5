import { ERRORS, SIGN_IN_ERRORS, type ErrorCode as WireCode, type SignInErrorCode } from "../wire/errors.ts";
import type { TokenProblem } from "../wire/claims.ts";

const FROM_THE_FUTURE = "it is from the future. Set the clocks of the service and of this machine";

/** The client's own codes, and what each means. */
const CLIENT_ERRORS = {
  config: "Missing or invalid options or arguments",
  connection: "The service could not be reached, or the connection was lost",
  timeout: "The request timed out",
  closed: "The client was closed before the call",
  rate_limited: "Too many requests; retryAfterMs is how long to wait, if the service said so",
  unavailable: "The service, or a gateway in front of it, is unavailable",
  redirect_refused: "The service redirected; redirects are not followed, to protect the key",
  unexpected_response: "Unexpected response: not JSON, or not of the documented form",
  response_too_large: "The response is larger than the client accepts",
  instance_inactive: "The instance is not active yet, so it has no address",
  unknown: "An error that this version of the client does not know",
} as const;

/** Why a request of a sign-in is not accepted by the application itself, and what each code means. */
const REFUSED_SIGN_INS = {
  sign_in_refused: "A sign-in begins and ends when a person navigates, not by a script, frame or prefetch",
  sign_in_not_begun: "The callback is not that of a sign-in that this browser began within the last ten minutes",
} as const;

/** Why an application has no user at the end of a sign-in. */
export type SignInCode = SignInErrorCode | keyof typeof REFUSED_SIGN_INS;

/** A stable name for what went wrong: one of the service's codes, or of the client's. */
export type ErrorCode = WireCode | SignInCode | keyof typeof CLIENT_ERRORS;

/** Every code and what it means. */
export const ERROR_CODES: Readonly<Record<ErrorCode, string>> = {
  ...(Object.fromEntries(Object.entries(ERRORS).map(([code, { error }]) => [code, error])) as Record<WireCode, string>),
  ...SIGN_IN_ERRORS,
  ...REFUSED_SIGN_INS,
  ...CLIENT_ERRORS,
};

/** Two copies of this package in one program still know each other's errors. */
const BRAND = Symbol.for("svc-identity.error");

export interface ServiceErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The base of every error that the client throws. */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly code: ErrorCode;
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;
  /** How long the service asked to wait before the next try (`Retry-After`). Undefined if it did not. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, { status, retryAfterMs, ...options }: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** What a log should have of it. */
  toJSON(): object {
    return Object.assign({}, this, { message: this.message });
  }
}

/** The service answered with an error. */
export class ApiError extends ServiceError {
  override readonly name: string = "ApiError";
  declare readonly status: number;
  /** The sentence on the wire. */
  readonly error: string;

  constructor(
    code: ErrorCode,
    request: string,
    status: number,
    error: string,
    options?: Omit<ServiceErrorOptions, "status">,
  ) {
    super(code, [`${request}: ${status} ${error}`, ...remedyFor(code)].join(". "), { ...options, status });
    this.error = error;
  }
}

/** What to do about an error whose sentence on the wire does not say it. */
function remedyFor(code: ErrorCode): string[] {
  if (code === "unauthorized") return ["Check that the key belongs to the instance at baseUrl"];
  return code === "not_found" ? ["Check that baseUrl is the address of an instance"] : [];
}

/** What exactly is wrong with a token. */
export type TokenReason = "missing" | TokenProblem;

/** A token is not valid. */
export class TokenError extends ServiceError {
  override readonly name: string = "TokenError";
  /** The sentence on the wire. */
  readonly error: string;
  /** More exact than the code. Undefined if it was a service of an older version that refused the token. */
  readonly reason: TokenReason | undefined;

  /** @param options `why`: what is wrong and what to do, in place of the general sentence about the reason */
  constructor(
    code: ErrorCode,
    error: string,
    options: ServiceErrorOptions & { reason?: TokenReason; why?: string | undefined } = {},
  ) {
    const { reason, why = reason === "not_yet_valid" ? FROM_THE_FUTURE : undefined, ...rest } = options;
    super(code, why === undefined ? error : `${error}: ${why}`, rest);
    this.error = error;
    this.reason = reason;
  }
}

/** A sign-in did not begin, or ended without a user. */
export class SignInError extends ServiceError {
  override readonly name: string = "SignInError";
  declare readonly code: SignInCode | "unknown";
}

/** The service could not be reached, or did not answer in time. `cause` says why. */
export class ConnectionError extends ServiceError {
  override readonly name: string = "ConnectionError";
  /** The system's code, such as `ECONNREFUSED`. Undefined if there is none. */
  readonly syscallCode: string | undefined;

  constructor(
    code: "connection" | "timeout",
    message: string,
    options: ErrorOptions & { syscallCode?: string | undefined } = {},
  ) {
    const { syscallCode, ...rest } = options;
    super(code, message, rest);
    this.syscallCode = syscallCode;
  }
}

/** Options or arguments are missing or invalid. */
export class ConfigError extends ServiceError {
  override readonly name: string = "ConfigError";

  constructor(message: string, options?: ErrorOptions) {
    super("config", message, options);
  }
}

/** Whether a thrown value is an error of the client, and optionally one with a certain code. */
export function isServiceError<Code extends ErrorCode = ErrorCode>(
  value: unknown,
  code?: Code,
): value is ServiceError & { readonly code: Code } {
  if (typeof value !== "object" || value === null || !(BRAND in value)) return false;
  return code === undefined || (value as { code?: unknown }).code === code;
}

/** What is wrong with a whole header in the place of its token. Undefined for any other text. */
export function whyHeader(token: unknown): string | undefined {
  const isHeader = typeof token === "string" && /^bearer /i.test(token);
  return isHeader ? "it begins with Bearer. Pass what comes after that" : undefined;
}

/** There is no token to verify: nothing was sent, or the argument is empty. */
export function missingToken(): TokenError {
  return new TokenError("missing_token", ERRORS.missing_token.error, { reason: "missing" });
}

const SECRET_KEY = /sk_[^\s"'<>&,;\\]+/g;
/** With or without the parts of a token behind it: a text of beginnings alone is not searched again from each of them. */
const TOKEN = /eyJ[\w-]+(\.[\w-]+(?:\.[\w-]*)?)?/g;

/** Words from outside without keys and tokens: some services, and most debug pages, repeat what they were sent. */
export function masked(text: string): string {
  return text
    .replace(SECRET_KEY, "sk_…")
    .replace(TOKEN, (found, rest?: string) => (rest === undefined ? found : "eyJ…"));
}
