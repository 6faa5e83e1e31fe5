import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Provider } from "../../wire/names.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import { redact, type Shown } from "./redact.ts";

const MAX_FLOWS = 1000;
const MAX_STEPS = 40;
const MAX_CONSIDERED = 40;

/** One thing that was done in a sign-in: by the browser, by svc, or by the provider. */
export interface Step {
  readonly name: string;
  /** ISO 8601, by the service's clock. */
  readonly at: string;
  /** How long it took, in real milliseconds. */
  readonly ms: number;
  readonly sent: Shown | null;
  readonly answered: Shown | null;
  /** Why it failed, in words. */
  readonly reason: string | null;
}

/** What is told of a step; secrets are taken out as it enters. */
export interface StepReport {
  readonly name: string;
  readonly ms?: number;
  readonly sent?: Readonly<Record<string, unknown>>;
  readonly answered?: Readonly<Record<string, unknown>> | undefined;
  readonly reason?: string | undefined;
}

/** A sign-in, as far as this process has seen it. */
export interface Flow {
  readonly id: string;
  instance: string | null;
  provider: Provider | null;
  /** The account that signs in: a persona's id, or the e-mail address that was typed in. */
  as: string | null;
  result: "token" | "error" | "open";
  error: string | null;
  reason: string | null;
  requested_outcome: OutcomeId | null;
  user_id: string | null;
  redirect_uri: string | null;
  readonly started_at: string;
  readonly steps: Step[];
  considered: { scenario: string; because: string }[];
}

export type FlowFacts = Partial<Omit<Flow, "id" | "started_at" | "steps">>;

/** Adds to what is known of one sign-in. */
export type NoteStep = (facts: FlowFacts, step?: StepReport) => void;

/** The latest sign-ins, in memory: bounded, and free of secrets from the moment of entry. */
export class Flows {
  readonly #now: () => Date;
  /** Only looked into, so that they stay in the order in which they began. */
  readonly #flows = new LRUCache<string, Flow>({ max: MAX_FLOWS });
  readonly #listeners = new Set<(flow: Flow) => void>();
  #latest = { ms: NaN, text: "" };

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Newest first. */
  get all(): Flow[] {
    return [...this.#flows.values()];
  }

  get(id: string): Flow | undefined {
    return this.#flows.peek(id);
  }

  /** @param id by `flowIdOf` */
  of(id: string): NoteStep {
    return (facts, step) => this.#add(id, facts, step);
  }

  /** A sign-in that was refused before it had a state. */
  refused(facts: FlowFacts, step: StepReport): void {
    this.#add(randomBytes(8).toString("hex"), facts, step);
  }

  /** Calls back with each flow that changes, until the function that is returned is called. */
  subscribe(listener: (flow: Flow) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #add(id: string, facts: FlowFacts, step: StepReport | undefined): void {
    const at = this.#time();
    const flow = this.#flows.peek(id) ?? this.#begin(id, at);
    Object.assign(flow, facts);
    if (facts.considered) flow.considered = facts.considered.slice(0, MAX_CONSIDERED);
    if (step && flow.steps.length < MAX_STEPS) flow.steps.push(stepOf(step, at));
    for (const listener of this.#listeners) listener(flow);
  }

  /** Most steps are of the same millisecond as the one before. */
  #time(): string {
    const now = this.#now();
    if (now.getTime() !== this.#latest.ms) this.#latest = { ms: now.getTime(), text: now.toISOString() };
    return this.#latest.text;
  }

  #begin(id: string, started_at: string): Flow {
    const flow: Flow = {
      id,
      instance: null,
      provider: null,
      as: null,
      result: "open",
      error: null,
      reason: null,
      requested_outcome: null,
      user_id: null,
      redirect_uri: null,
      started_at,
      steps: [],
      considered: [],
    };
    this.#flows.set(id, flow);
    return flow;
  }
}

function stepOf({ name, ms = 0, sent, answered, reason }: StepReport, at: string): Step {
  return {
    name,
    at,
    ms: Math.round(ms * 10) / 10,
    sent: redact(sent),
    answered: redact(answered),
    reason: reason ?? null,
  };
}
