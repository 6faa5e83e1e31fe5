import * as z from "zod";
import * as a from "./answers.ts";
import * as b from "./bodies.ts";
import * as q from "./queries.ts";

/** What one route of the control API takes and answers. */
export interface ControlRouteDefinition {
  /** A sentence for the reference. */
  readonly does: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the request may come without a body, which then counts as `{}`. */
  readonly isBodyOptional?: boolean;
  readonly answer: z.ZodType;
  /** Default 200. */
  readonly status?: number;
  /** false if the body has what admits the request. */
  readonly needsKey?: false;
}

const list = <Row extends z.ZodType>(row: Row): z.ZodArray<Row> => z.array(row);
/** The request may come without a body, which then counts as `{}`. */
const optional = <Body extends z.ZodType>(body: Body): { body: Body; isBodyOptional: true } => ({
  body,
  isBodyOptional: true,
});
const nothing = optional(b.Nothing);

/** Every route under `/__svc/v1`: the server is checked against this table, the client typed and the reference made by it. */
export const CONTROL_ROUTES = {
  "GET /state": { does: "Says what is running, and how much it holds.", answer: a.State },

  "GET /instances": { does: "Lists the instances.", query: q.Paged, answer: list(a.Instance) },
  "POST /instances": { does: "Makes an instance.", body: b.NewInstance, answer: a.Instance, status: 201 },
  "GET /instances/:id": { does: "Gets an instance, by id or subdomain.", answer: a.Instance },
  "PATCH /instances/:id": { does: "Changes an instance.", body: b.InstancePatch, answer: a.Instance },
  "DELETE /instances/:id": { does: "Deletes an instance and all that belongs to it.", answer: a.Deleted },
  "POST /instances/:id/reveal": { does: "Shows the keys of an instance.", ...nothing, answer: a.Keys },
  "POST /instances/:id/keys/rotate": {
    does: "Replaces keys of an instance. Tokens signed with the old secret key stop verifying.",
    ...optional(b.RotateKeys),
    answer: a.Keys,
  },
  "GET /instances/:id/connections": {
    does: "Says with which credentials each provider is asked, and why.",
    answer: list(a.Connection),
  },
  "PUT /instances/:id/connections/:provider": {
    does: "Gives an instance credentials of its own at a provider.",
    body: b.NewConnection,
    answer: a.Connection,
  },
  "DELETE /instances/:id/connections/:provider": {
    does: "Takes an instance's own credentials at a provider away.",
    answer: a.Deleted,
  },
  "POST /instances/:id/connections/:provider/test": {
    does: "Asks the provider whether it accepts the credentials.",
    ...nothing,
    answer: a.ConnectionTest,
  },

  "GET /users": { does: "Lists or searches the users of an instance.", query: q.Searched, answer: list(a.User) },
  "POST /users": { does: "Makes a user, with identities and sessions.", body: b.NewUser, answer: a.User, status: 201 },
  "GET /users/:id": { does: "Gets a user.", answer: a.User },
  "PATCH /users/:id": { does: "Changes a user.", body: b.UserPatch, answer: a.User },
  "DELETE /users/:id": { does: "Deletes a user, with identities and sessions.", answer: a.Deleted },
  "GET /sessions": {
    does: "Lists or searches the sessions of an instance.",
    query: q.Searched,
    answer: list(a.Session),
  },
  "GET /sessions/:session_id": { does: "Gets a session.", answer: a.Session },
  "POST /sessions/:session_id/revoke": { does: "Revokes a session.", ...nothing, answer: a.Session },
  "POST /sessions/:session_id/restore": {
    does: "Makes a revoked session active again.",
    ...nothing,
    answer: a.Session,
  },
  "GET /personas": {
    does: "Lists the accounts that the simulated providers know.",
    query: q.Paged,
    answer: list(a.Persona),
  },
  "POST /personas": { does: "Makes a persona.", body: b.NewPersona, answer: a.Persona, status: 201 },
  "GET /personas/:id": { does: "Gets a persona.", answer: a.Persona },
  "PATCH /personas/:id": { does: "Changes a persona.", body: b.PersonaPatch, answer: a.Persona },
  "DELETE /personas/:id": { does: "Deletes a persona.", answer: a.Deleted },

  "POST /tokens": {
    does: "Makes a token of a kind, and says what verifying it answers.",
    ...optional(b.NewToken),
    answer: a.Token,
    status: 201,
  },
  "POST /tokens/verify": {
    does: "Verifies a token, and explains the answer.",
    body: b.TokenToVerify,
    answer: a.TokenReport,
  },
  "POST /sign-ins": {
    does: "Runs a whole sign-in, without a browser.",
    ...optional(b.NewSignIn),
    answer: a.SignIn,
    status: 201,
  },

  "GET /outcomes": { does: "Lists the ways in which a sign-in can end.", answer: list(a.Outcome) },
  "GET /scenarios": { does: "Lists the scenarios.", query: q.Scenarios, answer: list(a.Scenario) },
  "POST /scenarios": {
    does: "Decides how the next sign-ins that match will end.",
    ...optional(b.NewScenario),
    answer: a.Scenario,
    status: 201,
  },
  "DELETE /scenarios": { does: "Deletes scenarios.", query: q.ScenarioFilter, answer: a.DeletedAll },
  "DELETE /scenarios/:id": { does: "Deletes a scenario.", answer: a.Deleted },
  "POST /browsers": {
    does: "Makes cookies by which a scenario can tell one browser from another.",
    ...optional(b.NewBrowser),
    answer: a.Browser,
    status: 201,
  },

  "GET /clock": { does: "Reads the clock.", answer: a.Clock },
  "POST /clock/freeze": {
    does: "Stops the clock, now or at a moment.",
    ...optional(b.FreezeClock),
    answer: a.Clock,
  },
  "POST /clock/set": { does: "Sets the clock, which goes on running.", body: b.ClockTime, answer: a.Clock },
  "POST /clock/advance": { does: "Moves the clock forwards.", body: b.AdvanceClock, answer: a.Clock },
  "POST /clock/resume": { does: "Lets the clock run on from where it is.", ...nothing, answer: a.Clock },
  "POST /clock/reset": { does: "Goes back to the real time.", ...nothing, answer: a.Clock },

  "GET /snapshots": { does: "Lists the snapshots.", query: q.Paged, answer: list(a.Snapshot) },
  "POST /snapshots": { does: "Saves all records and the clock.", body: b.NewSnapshot, answer: a.Snapshot, status: 201 },
  "POST /snapshots/:name/restore": {
    does: "Puts a snapshot in the place of all records.",
    ...nothing,
    answer: a.Snapshot,
  },
  "DELETE /snapshots/:name": { does: "Deletes a snapshot.", answer: a.Deleted },
  "POST /reset": { does: "Goes back to the seed, or empties one instance.", body: b.Reset, answer: a.Reset },
  "POST /seed": {
    does: "Adds a seed document at once (201), or generates users in a job (202).",
    body: b.Seeding,
    answer: z.union([a.Job, a.Seeded]),
    status: 201,
  },
  "GET /jobs/:id": { does: "Says how far a job is.", answer: a.Job },

  "GET /flows": { does: "Lists the sign-ins.", query: q.Flows, answer: list(a.Flow) },
  "GET /flows/summary": { does: "Counts the sign-ins by how they ended.", query: q.Filtered, answer: a.FlowSummary },
  "GET /flows/:id": { does: "Gets a sign-in, with its steps.", query: q.Format, answer: z.union([a.Flow, a.Har]) },
  "POST /flows/:id/replay": {
    does: "Runs a sign-in again, as it was or with a difference.",
    ...optional(b.Replay),
    answer: a.SignIn,
    status: 201,
  },
  "GET /requests": { does: "Lists the requests that were answered.", query: q.Requests, answer: list(a.Request) },
  "GET /requests/:id": { does: "Gets a request, by the Request-Id of its answer.", answer: a.Request },
  "GET /events": {
    does: "Streams requests and flows, as text/event-stream or NDJSON.",
    query: q.Events,
    answer: z.string(),
  },

  "POST /dashboard-links": {
    does: "Makes a link that opens the dashboard once.",
    ...nothing,
    answer: a.DashboardLink,
    status: 201,
  },
  "POST /dashboard-keys": {
    does: "Exchanges the code of a dashboard link for a key. Needs no other key.",
    body: b.RedeemCode,
    answer: a.DashboardKey,
    status: 201,
    needsKey: false,
  },
} as const satisfies Record<string, ControlRouteDefinition>;

export type ControlRoute = keyof typeof CONTROL_ROUTES;
type Definition<Route extends ControlRoute> = (typeof CONTROL_ROUTES)[Route];

/** What is sent to a route, before defaults are filled in. */
export type BodyOf<Route extends ControlRoute> =
  Definition<Route> extends { body: infer Body extends z.ZodType } ? z.input<Body> : undefined;
export type QueryOf<Route extends ControlRoute> =
  Definition<Route> extends { query: infer Query extends z.ZodType } ? z.input<Query> : undefined;
export type AnswerOf<Route extends ControlRoute> = z.output<Definition<Route>["answer"]>;
/** What a handler gets. */
export type ParsedBodyOf<Route extends ControlRoute> =
  Definition<Route> extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;
export type ParsedQueryOf<Route extends ControlRoute> =
  Definition<Route> extends { query: infer Query extends z.ZodType } ? z.output<Query> : undefined;
