import { randomBytes, hash } from "node:crypto";
import { EventEmitter } from "node:events";
import type { AnswerOf, BodyOf } from "../../wire/control/types.ts";
import { errorOf, type OutcomeId } from "../../wire/outcomes.ts";
import { remember } from "../memory-use.ts";
import { redact, redactText } from "./redact.ts";

/** Names a sign-in in logs: the same in every process and step. The state, a secret, can't be derived from it. */
export function flowIdOf(state: string): string {
  return hash("sha256", `flow ${state}`).slice(0, 16);
}

const MAX_FLOWS = 1000;
const MAX_STEPS = 40;
const MAX_CONSIDERED = 40;

type FlowData = Omit<AnswerOf<"GET /flows">[number]["data"], "process">;

/** One step of a sign-in: by the browser, by svc, or by the provider. */
export type FlowStep = FlowData["steps"][number];

/** A step as it is reported; secrets are removed when it is added. */
export interface StepReport {
  readonly name: string;
  readonly ms?: number;
  readonly sent?: Readonly<Record<string, unknown>>;
  readonly answered?: Readonly<Record<string, unknown>> | undefined;
  /** Why the sign-in failed, in the step that decided it. */
  readonly reason?: string | undefined;
}

/** A sign-in, as far as this process took part in it. */
export type Flow = FlowData & {
  readonly id: string;
  /** What a test changed in the provider's profile, for a replay. Not shown. */
  changes?: Pick<NonNullable<BodyOf<"POST /sign-ins">>, "profile" | "omit"> | undefined;
  /** How it is to fail. Not shown: another failure was not asked for. */
  chosen?: Chosen | undefined;
};

export type FlowFacts = Partial<Omit<Flow, "id" | "started_at" | "steps" | "asked_by">>;

/** Adds facts and a step to one sign-in. @param decidedBy the name of the earlier step that the reason belongs to */
export type NoteStep = (facts: FlowFacts, step?: StepReport, decidedBy?: string) => void;

const NOTHING: NoteStep = () => {};

/** The latest sign-ins, in memory: bounded, and without secrets. */
export class Flows {
  readonly changes = new EventEmitter<{ change: [Flow] }>().setMaxListeners(0);
  readonly #now: () => Date;
  /** By id, in the order in which they began. */
  readonly #flows = new Map<string, Flow>();

  readonly #isKept: boolean;

  /** @param isKept false where nothing can read them: then there are none */
  constructor(now: () => Date, isKept: boolean) {
    this.#now = now;
    this.#isKept = isKept;
  }

  /** Newest first. */
  get all(): Flow[] {
    return [...this.#flows.values()].toReversed();
  }

  get(id: string): Flow | undefined {
    return this.#flows.get(id);
  }

  /** @param id from `flowIdOf` */
  of(id: string): NoteStep {
    return this.#isKept ? (facts, step, decidedBy) => this.#add(id, facts, step, decidedBy) : NOTHING;
  }

  /** A sign-in that was refused before it had a state. @returns its id */
  refused(facts: FlowFacts, step: StepReport): string {
    const id = randomBytes(8).toString("hex");
    this.of(id)(facts, step);
    return id;
  }

  #add(id: string, facts: FlowFacts, step: StepReport | undefined, decidedBy?: string): void {
    const at = this.#now().toISOString();
    const flow = this.#flows.get(id) ?? this.#begin(id, at);
    Object.assign(flow, facts);
    if (facts.reason !== undefined) {
      const chosen = facts.error ? chosenFailure(flow, facts.error) : undefined;
      flow.asked_by = chosen?.by ?? null;
      if (chosen) flow.reason = `${askerOf(chosen)}: ${facts.reason}`;
    }
    if (facts.redirect_uri) flow.redirect_uri = redactText(facts.redirect_uri);
    if (facts.considered) flow.considered = facts.considered.slice(0, MAX_CONSIDERED);
    if (step && flow.steps.length < MAX_STEPS)
      flow.steps.push(stepOf(step, at, step.reason === undefined ? null : (flow.reason ?? step.reason)));
    const decided = flow.steps.findLast(({ name }) => name === decidedBy);
    if (decided) decided.reason = flow.reason;
    this.changes.emit("change", flow);
  }

  #begin(id: string, started_at: string): Flow {
    const flow: Flow = {
      id,
      instance: null,
      provider: null,
      client_id: null,
      as: null,
      result: "open",
      error: null,
      reason: null,
      asked_by: null,
      requested_outcome: null,
      user_id: null,
      redirect_uri: null,
      browser: null,
      scenario: null,
      started_at,
      steps: [],
      considered: [],
    };
    remember(this.#flows, id, flow, MAX_FLOWS);
    return flow;
  }
}

/** Of an application's own client the simulated provider knows which of its errors was chosen. */
function chosenFailure({ chosen, client_id, requested_outcome }: Flow, error: string): Chosen | undefined {
  return client_id !== null || isExpected(requested_outcome, error) ? chosen : undefined;
}

function stepOf({ name, ms = 0, sent, answered }: StepReport, at: string, reason: string | null): FlowStep {
  return {
    name,
    at,
    ms: Math.round(ms * 10) / 10,
    sent: redact(sent),
    answered: redact(answered),
    reason,
  };
}

export type AskedBy = NonNullable<AnswerOf<"GET /flows">[number]["data"]["asked_by"]>;

/** Who chose that a sign-in fails. It travels with the request and its code. */
export interface Chosen {
  readonly by: AskedBy;
  /** From `causeOf`: `token_error`, or `with a changed profile`. */
  readonly cause: string;
}

/** Whether a sign-in through svc failed as its outcome says: another error is not the one that was asked for. */
function isExpected(outcome: OutcomeId | null, error: string): boolean {
  // A changed profile or a delay can have any end that a provider's answer has.
  if (outcome === null || outcome === "success") return error !== "invalid_state" && error !== "access_denied";
  return errorOf(outcome) === error;
}

/** `As the scenario token_error asked`: what the reason of a failure begins with that was asked for. */
function askerOf({ by, cause }: Chosen): string {
  if (by === "picker") return "As chosen in the picker";
  return by === "replay" ? "As the replay asked" : `As the ${by} ${cause} asked`;
}
