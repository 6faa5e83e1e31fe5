import type { Provider } from "../../wire/providers.ts";
import type { FlowFacts, Flows } from "../history/flows.ts";
import { endpointOf, parseReply } from "../providers/replies.ts";
import { applicationFacts } from "./redirect.ts";
import type { Answered, EndpointRequest } from "./endpoints.ts";
import type { Simulator } from "./simulator.ts";

interface ApplicationDeps {
  readonly simulator: Simulator;
  readonly flows: Flows;
}

interface ApplicationRequest extends EndpointRequest {
  readonly provider: Provider;
}

/** Answers what an application asks a simulated provider by itself, and notes it in the sign-in's flow. */
export async function answerApplication(
  { simulator, flows }: ApplicationDeps,
  { provider, path: written, ...asked }: ApplicationRequest,
): Promise<Answered> {
  const startedAt = performance.now();
  const { issuer, provider: simulated } = simulator.at(provider);
  const path = simulated.aliases?.[written] ?? written;
  const answered = await simulator.answerApplication(provider, { ...asked, path });
  const { granted, response, why, isChosen } = answered;
  if (granted?.flow_id === undefined) return answered;
  const { init } = asked;
  const name = Object.entries(simulated.endpoints).find(([, own]) => own === path)?.[0] ?? path;
  const reply = response && (parseReply(response.text) as Readonly<Record<string, unknown>> | undefined);
  const error = errorIn(response?.status, reply);
  const failure = `${endpointOf(provider, name)} ${response ? `answered ${response.status}` : "did not answer"}`;
  const reason = error === undefined ? undefined : `${failure}: ${why ?? error}.`;
  // What an application asks for once more, or too late, is no part of its sign-in.
  const isOver = why !== undefined && flows.get(granted.flow_id)?.result === "token";
  const ended = name === "token" ? { result: "token" as const, error: null, reason: null } : {};
  const chosen = isChosen ? granted.chosen : undefined;
  const failed = isOver ? {} : { result: "error" as const, error: error ?? null, chosen };
  const facts: FlowFacts = reason === undefined ? ended : { reason, ...failed };
  flows.of(granted.flow_id)(
    { ...applicationFacts(granted), ...facts },
    {
      name,
      ms: performance.now() - startedAt,
      sent: { url: issuer + path, method: init.method, ...Object.fromEntries(new URLSearchParams(init.body)) },
      answered: response && { status: response.status, ...reply },
      reason,
    },
  );
  return reason === undefined ? answered : { ...answered, why: flows.get(granted.flow_id)?.reason ?? reason };
}

/** GitHub answers with status 200 whatever happened. Undefined for a good answer. */
function errorIn(status: number | undefined, reply: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (typeof reply?.["error"] === "string") return reply["error"];
  if (status === undefined || status >= 500) return "temporarily_unavailable";
  return status === 200 && reply ? undefined : "server_error";
}
