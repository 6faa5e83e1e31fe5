import type { OutcomeId } from "../../src/wire/outcomes.ts";
import type { Answer } from "./_reply.ts";

/** A status and a JSON body. */
export type Reply = readonly [status: number, body: object];

/** One provider as its documentation describes it: what it is sent and what it answers. */
export interface RealProvider {
  /** Where a sign-in starts. */
  readonly authorizeUrl: string;
  readonly scope: string;
  readonly pkce: boolean;
  readonly clientAuthentication: "basic" | "body";
  /** The parameter for the account to suggest. */
  readonly loginHint: string | undefined;
  /** Whether a sign-in verifies the user's e-mail address. */
  readonly verifiesEmail: boolean;
  /** Whether profiles have an e-mail address; without one a user gets a placeholder. */
  readonly givesEmail: boolean;
  /** The paths at which a test's server has its endpoints. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Valid answers by path. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** The user that results from `answers`. */
  readonly user: { readonly uid: string; readonly email: string; readonly name: string; readonly avatar_url: string };
  /** The path of the profile. */
  readonly profile: string;
  /** An answer at `profile` with changes to the account. */
  profileWith(changes: object): Answer;
  /** Changes that make a new account, and the name that its user gets without a name. */
  readonly nameless: readonly [changes: object, name: string];
  /** The answers for Joan Clarke, joan@acme.test, by endpoint. */
  readonly joan: Readonly<Record<string, object>>;
  /** The accounts of the seed's personas. */
  readonly accounts: Readonly<Record<"ada" | "alan" | "mary", object>>;
  /** The answer to a code exchange, and to a wrong client or code. */
  readonly token: object;
  readonly wrongClient: Reply;
  readonly wrongCode: Reply;
  /** Of its resources. */
  readonly wrongToken: Reply;
  /** The answers about Ada's account by endpoint, with this picture. */
  resources(picture: string): Readonly<Record<string, object>>;
  /** The answers that end a sign-in with an outcome. */
  readonly outcomes: Readonly<Partial<Record<OutcomeId, Readonly<Record<string, Answer>>>>>;
}
