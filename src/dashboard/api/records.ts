/** What the control API answers with, as far as the dashboard shows it. */
export interface Rec<Data, Resource extends string = string> {
  readonly id: string;
  readonly resource: Resource;
  readonly data: Data;
}

export interface ClockState {
  readonly now: string;
  readonly mode: "real" | "running" | "frozen";
  readonly offset_ms: number;
}

export interface State {
  readonly version: string;
  readonly now: string;
  readonly clock: ClockState;
  readonly store: string | { readonly kind: string; readonly location: string };
  readonly providers: Readonly<Record<string, string>>;
  readonly instances: number;
  readonly users: number;
  readonly sessions: number;
}

export type Instance = Rec<{
  readonly app_id: string;
  readonly name: string;
  readonly subdomain: string;
  readonly url: string | null;
  readonly active: boolean;
  readonly publishable_key: string;
  readonly default_provider: string;
  readonly redirect_uris: readonly string[];
  readonly created_at: string;
}>;

export type Connection = Rec<{
  readonly provider: string;
  readonly in_force: "own" | "global" | "simulated";
  readonly because: string;
  readonly client_id: string | null;
  readonly endpoints: Readonly<Record<string, string>>;
}>;

export interface Identity {
  readonly provider: string;
  readonly uid: string;
  readonly email: string;
  readonly email_verified: boolean;
}

export type User = Rec<{
  readonly instance: string;
  readonly email: string;
  readonly name: string;
  readonly avatar_url: string | null;
  readonly email_verified_at: string | null;
  readonly identities: readonly Identity[];
  readonly created_at: string;
  readonly updated_at: string;
}>;

export type Session = Rec<{
  readonly session_id: string;
  readonly instance: string;
  readonly user_id: string;
  readonly provider: string;
  readonly name: string;
  readonly email: string;
  readonly ip_address: string;
  readonly geo_data: Readonly<Record<string, unknown>>;
  readonly logged_in_at: string;
  readonly last_signin_at: string;
  readonly revoked_at: string | null;
  readonly active: boolean;
}>;

export interface Step {
  readonly name: string;
  readonly at: string;
  readonly ms: number;
  readonly sent?: unknown;
  readonly answered?: unknown;
  readonly reason?: string | null;
}

export type Flow = Rec<{
  readonly instance: string;
  readonly provider: string;
  readonly as: string | null;
  readonly result: "token" | "error" | "open";
  readonly error: string | null;
  readonly reason: string | null;
  readonly requested_outcome: string | null;
  readonly user_id: string | null;
  readonly redirect_uri: string;
  readonly started_at: string;
  readonly steps: readonly Step[];
  readonly considered: readonly { readonly scenario: string; readonly because: string }[];
}>;

export type RequestEntry = Rec<{
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  readonly instance: string | null;
  readonly flow_id: string | null;
  readonly reason: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: unknown;
}>;

export interface Outcome {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly providers: readonly string[];
  readonly application_sees: string;
}

export type Scenario = Rec<{
  readonly match: Readonly<Record<string, string>>;
  readonly as: string | null;
  readonly outcome: string;
  readonly times: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly delay_ms: number;
  readonly label: string | null;
}>;

export type Persona = Rec<{
  readonly name: string | null;
  readonly email: string;
  readonly accounts?: Readonly<Record<string, unknown>>;
}>;
export type Snapshot = Rec<{
  readonly name: string;
  readonly created_at: string;
  readonly users?: number;
  readonly size?: number;
}>;
export interface Job {
  readonly id: string;
  readonly status: string;
  readonly done: number;
  readonly total: number;
  readonly error?: string | null;
}

export const TOKEN_KINDS = [
  "valid",
  "expired",
  "issued_in_future",
  "wrong_signature",
  "wrong_issuer",
  "wrong_lifetime",
  "wrong_algorithm",
  "alg_none",
  "missing_claim",
  "other_instance",
  "deleted_user",
  "malformed",
] as const;
