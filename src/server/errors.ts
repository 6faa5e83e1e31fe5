import { ERRORS, type ErrorCode, type SignInErrorCode } from "../wire/errors.ts";

/** An error of the table in `wire/errors.ts`, thrown to answer it; `detail` follows the table's sentence. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, detail?: string, headers?: Readonly<Record<string, string>>) {
    super(detail === undefined ? code : `${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.headers = headers;
  }

  /** The detail, for a place where no sentence of the table precedes it. */
  get sentence(): string {
    const text = this.detail ?? ERRORS[this.code].error;
    return text.endsWith(".") ? text : `${text}.`;
  }
}

/** A secret key that an application sent, and that is not good here. */
export class KeyRefused extends Refusal {
  readonly refused: "replaced_key" | "unknown_key" | "other_instance";

  constructor(refused: KeyRefused["refused"]) {
    super("unauthorized");
    this.refused = refused;
  }
}

/** Where a person whose sign-in was refused returns to. */
export interface WayBack {
  readonly name: string;
  /** An http or https origin. */
  readonly origin: string;
}

/** A refusal that tells the log more than the browser, and links back to the application. */
export class SignInRefused extends Refusal {
  /** Why, for the log. It contains no secret. */
  readonly reason: string | undefined;
  readonly wayBack: WayBack | undefined;
  /** Whose sign-in it is, for the log. */
  readonly instance_id: string | undefined;
  readonly flow_id: string | undefined;

  constructor(
    code: ErrorCode,
    detail: string | undefined,
    { reason, wayBack, instance_id, flow_id }: Partial<SignInRefused> = {},
  ) {
    super(code, detail);
    this.reason = reason;
    this.instance_id = instance_id;
    this.flow_id = flow_id;
    this.wayBack = wayBack;
  }
}

/** A sign-in that failed although its state was valid: the application is told by a redirect. */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly code: SignInErrorCode;
  /** The `cause` is a bug of this service, and must be reported as one. */
  readonly isBug: boolean;

  /** @param message for the log, in sentences; the application gets the table's sentence */
  constructor(code: SignInErrorCode, message: string, options: ErrorOptions & { readonly isBug?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.isBug = options.isBug ?? false;
  }
}

/** The server can't start; the message says why and what to do. */
export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly code = "config";
}

/** An invalid seed file; the message lists every error with its path. */
export class SeedError extends Error {
  override readonly name = "SeedError";
  readonly code = "invalid_seed";
}

/** The port can't be listened on; the message says why. */
export class PortUnavailable extends Error {
  override readonly name = "PortUnavailable";
  readonly code = "port_unavailable";
}
