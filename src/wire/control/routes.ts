import * as z from "zod/mini";
import type { RouteDefinition, RouteTable } from "../route.ts";
import * as a from "./answers.ts";
import * as b from "./bodies.ts";
import { CONTROL_BASE } from "./paths.ts";
import * as q from "./queries.ts";

const list = <Row extends z.ZodMiniType>(row: Row): z.ZodMiniArray<Row> => z.array(row);
/** The body may be left out, which means `{}`. */
const optional = <Body extends z.ZodMiniType>(body: Body): { body: Body; isBodyOptional: true } => ({
  body,
  isBodyOptional: true,
});
/** The body may contain long lists, such as the users of a seed document. */
const long = <Body extends z.ZodMiniType>(body: Body): { body: Body; maxBytes: number } => ({
  body,
  maxBytes: 64 << 20,
});
const created = <Answer extends z.ZodMiniType>(answer: Answer): { answer: Answer; status: number } => ({
  answer,
  status: 201,
});
const nothing = optional(b.Nothing);
const oneUser = { query: q.OfInstance, answer: a.User };
const oneSession = { query: q.OfInstance, answer: a.Session };

export const CONTROL_ROUTES = {
  "GET /state": { does: "Retrieves the server's version, clock, providers and record counts.", answer: a.State },

  "GET /instances": { does: "Lists instances.", query: q.Paged, answer: list(a.Instance) },
  "POST /instances": { does: "Creates an instance.", ...long(b.NewInstance), ...created(a.Instance) },
  "GET /instances/:id": { does: "Retrieves an instance by id or subdomain.", answer: a.Instance },
  "PATCH /instances/:id": { does: "Updates an instance.", ...long(b.InstancePatch), answer: a.Instance },
  "DELETE /instances/:id": { does: "Deletes an instance, with its users and sessions.", answer: a.Deleted },
  "POST /instances/:id/reveal": { does: "Reveals an instance's keys.", ...nothing, answer: a.Keys },
  "POST /instances/:id/keys/rotate": {
    does: "Rotates an instance's keys. Tokens signed with the old secret key are no longer valid, unless `keep_old` is set.",
    ...optional(b.RotateKeys),
    answer: a.Keys,
  },
  "DELETE /instances/:id/keys/old": { does: "Revokes the replaced secret keys that still verify.", answer: a.Keys },
  "GET /instances/:id/connections": {
    does: "Lists the credentials in use for each provider, with the reason.",
    answer: list(a.Connection),
  },
  "PUT /instances/:id/connections/:provider": {
    does: "Sets an instance's credentials for a provider.",
    body: b.NewConnection,
    answer: a.Connection,
  },
  "DELETE /instances/:id/connections/:provider": {
    does: "Deletes an instance's credentials for a provider.",
    answer: a.Deleted,
  },
  "POST /instances/:id/connections/:provider/test": {
    does: "Tests whether the provider accepts the credentials.",
    ...nothing,
    answer: a.ConnectionTest,
  },
  "GET /instances/:id/clients": { does: "Lists an application's own clients.", answer: list(a.Client) },
  "POST /instances/:id/clients": {
    does: "Creates an application's own client.",
    body: b.NewClient,
    ...created(a.Client),
  },
  "PATCH /instances/:id/clients/:client_id": { does: "Updates an own client.", body: b.ClientPatch, answer: a.Client },
  "DELETE /instances/:id/clients/:client_id": { does: "Deletes an application's own client.", answer: a.Deleted },

  "GET /users": { does: "Lists or searches an instance's users.", query: q.SearchedQuery, answer: list(a.User) },
  "GET /users/count": { does: "Counts an instance's users.", query: q.Search, answer: a.Count },
  "POST /users": {
    does: "Creates a user, with identities and sessions.",
    ...long(b.NewUser),
    ...created(a.User),
  },
  "GET /users/:id": { does: "Retrieves a user.", ...oneUser },
  "PATCH /users/:id": { does: "Updates a user.", body: b.UserPatch, ...oneUser },
  "DELETE /users/:id": { does: "Deletes a user, with its identities and sessions.", ...oneUser, answer: a.Deleted },
  "GET /sessions": {
    does: "Lists or searches an instance's sessions.",
    query: q.SearchedQuery,
    answer: list(a.Session),
  },
  "GET /sessions/count": { does: "Counts an instance's sessions.", query: q.Search, answer: a.Count },
  "POST /sessions/prune": {
    does: "Deletes up to 1,000 old sessions.",
    body: b.PruneSessions,
    answer: a.PrunedSessions,
  },
  "GET /sessions/:session_id": { does: "Retrieves a session.", ...oneSession },
  "POST /sessions/:session_id/revoke": { does: "Revokes a session.", ...nothing, ...oneSession },
  "POST /sessions/:session_id/restore": { does: "Restores a revoked session.", ...nothing, ...oneSession },
  "GET /personas": {
    does: "Lists personas: the accounts at the simulated providers.",
    query: q.Paged,
    answer: list(a.Persona),
  },
  "POST /personas": { does: "Creates a persona. Default: all accounts.", body: b.NewPersona, ...created(a.Persona) },
  "GET /personas/:id": { does: "Retrieves a persona.", answer: a.Persona },
  "PATCH /personas/:id": { does: "Updates a persona.", body: b.PersonaPatch, answer: a.Persona },
  "DELETE /personas/:id": { does: "Deletes a persona.", answer: a.Deleted },

  "POST /tokens": {
    does: "Creates a token of the given kind, with the expected result of verifying it.",
    ...optional(b.NewToken),
    ...created(a.Token),
  },
  "POST /tokens/verify": {
    does: "Verifies a token and explains the result.",
    body: b.TokenToExplain,
    answer: a.TokenReport,
  },
  "POST /sign-ins": {
    does: "Runs a complete sign-in without a browser. Scenarios apply to it unless it names its own outcome.",
    ...optional(b.NewSignIn),
    ...created(a.SignIn),
  },

  "GET /outcomes": { does: "Lists the possible outcomes of a sign-in.", answer: list(a.Outcome) },
  "GET /scenarios": { does: "Lists scenarios.", query: q.ScenariosQuery, answer: list(a.Scenario) },
  "POST /scenarios": {
    does: "Creates a scenario, which decides how the next matching sign-ins end.",
    ...optional(b.NewScenario),
    ...created(a.Scenario),
  },
  "DELETE /scenarios": { does: "Deletes scenarios.", query: q.ScenarioFilter, answer: a.DeletedAll },
  "DELETE /scenarios/:id": { does: "Deletes a scenario.", answer: a.Deleted },
  "POST /browsers": {
    does: "Creates cookies by which a scenario can tell one browser from another.",
    ...optional(b.NewBrowser),
    ...created(a.Browser),
  },

  "GET /clock": { does: "Retrieves the clock.", answer: a.Clock },
  "GET /clock/proof": {
    does: "Proves the clock's time to an application that has the instance's secret key. Requires no key.",
    query: q.ClockChallenge,
    answer: a.ClockProof,
    key: "none",
  },
  "POST /clock/freeze": {
    does: "Stops the clock, now or at a given time.",
    ...optional(b.FreezeClock),
    answer: a.Clock,
  },
  "POST /clock/set": { does: "Sets the clock. It keeps running.", body: b.ClockTime, answer: a.Clock },
  "POST /clock/advance": { does: "Moves the clock forward.", body: b.AdvanceClock, answer: a.Clock },
  "POST /clock/resume": { does: "Resumes a stopped clock.", ...nothing, answer: a.Clock },
  "POST /clock/reset": { does: "Resets the clock to real time.", ...nothing, answer: a.Clock },

  "GET /snapshots": { does: "Lists snapshots.", query: q.Paged, answer: list(a.Snapshot) },
  "POST /snapshots": {
    does: "Saves all records and the clock as a snapshot.",
    body: b.NewSnapshot,
    ...created(a.Snapshot),
  },
  "GET /snapshots/:name": { does: "Retrieves a snapshot.", query: q.SavedInstance, answer: a.Snapshot },
  "POST /snapshots/:name/restore": {
    does: "Replaces all records with a snapshot's, or one instance's users and sessions.",
    ...optional(b.RestoreSnapshot),
    answer: a.Snapshot,
  },
  "DELETE /snapshots/:name": { does: "Deletes a snapshot.", answer: a.Deleted },
  "POST /reset": { does: "Restores the seed, or clears one instance.", body: b.Reset, answer: a.Reset },
  "POST /seed": {
    does: "Adds the records of a seed document, or of generated users.",
    ...long(b.Seeding),
    ...created(a.Seeded),
  },

  "GET /flows": { does: "Lists sign-ins.", query: q.FlowsQuery, answer: list(a.Flow) },
  "GET /flows/summary": {
    does: "Counts sign-ins by result, error, provider, outcome and period, and groups failures by reason.",
    query: q.SummaryQuery,
    answer: a.FlowSummary,
  },
  "GET /flows/:id": { does: "Retrieves a sign-in, with its steps.", answer: a.Flow },
  "POST /flows/:id/replay": {
    does: "Runs a sign-in again, unchanged or with other parameters.",
    ...optional(b.Replay),
    ...created(a.SignIn),
  },
  "GET /requests": { does: "Lists requests.", query: q.RequestsQuery, answer: list(a.Request) },
  "GET /requests/:id": { does: "Retrieves a request by the Request-Id of its response.", answer: a.Request },
  "GET /events": {
    does: "Streams requests and flows as NDJSON.",
    query: q.Events,
    answer: z.string(),
  },

  "POST /dashboard-links": {
    does: "Creates a one-time link to the dashboard.",
    ...nothing,
    ...created(a.DashboardLink),
  },
  "POST /dashboard-keys": {
    does: "Exchanges the code of a dashboard link for a key. Requires no other key.",
    body: b.RedeemCode,
    ...created(a.DashboardKey),
    key: "none",
  },
  "DELETE /dashboard-keys": {
    does: "Revokes every key and link of the dashboard. Open dashboards are signed out.",
    answer: a.Revoked,
  },
} as const satisfies Readonly<Record<string, RouteDefinition & { answer: z.ZodMiniType }>>;

export const CONTROL_API = {
  base: CONTROL_BASE,
  key: "control",
  on: ["front"],
  routes: CONTROL_ROUTES,
} as const satisfies RouteTable;
