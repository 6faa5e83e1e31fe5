import { flowIdOf } from "../history/flows.ts";
import {
  addressAtCallbackHost,
  bindBrowser,
  findInstance,
  limitStarts,
  permitStart,
  saveState,
  sendToProvider,
  type BeginRequest,
  type Begun,
} from "./begin.ts";
import { checkIssuer, exchangeCode, returnError, returnToken, saveSignIn, type ExchangedCode } from "./callback.ts";
import { checkBrowser, checkState, claimState, endState, refuse, type ProviderCallback, type Ended } from "./claim.ts";
import type { SignInDeps } from "./deps.ts";

/**
 * The sign-ins of all instances. Between its two halves a sign-in is nothing but the record of its state. One callback takes
 * it, before a provider is asked, and its removal is durable before anything is answered: no crash makes a state good twice.
 */
export function createSignIns(deps: SignInDeps) {
  return {
    begin: (request: BeginRequest) => beginSignIn(deps, request),
    complete: (request: ProviderCallback) => completeSignIn(deps, request),
  };
}
export type SignIns = ReturnType<typeof createSignIns>;

/** From the application to the provider. @throws {Refusal} if the sign-in may not begin; then nothing is saved */
async function beginSignIn(deps: SignInDeps, request: BeginRequest): Promise<Begun> {
  const instance = findInstance(deps, request);
  const connection = await permitStart(deps, instance, request);
  const elsewhere = addressAtCallbackHost(deps, instance, connection, request);
  if (elsewhere !== undefined) return { instance, location: elsewhere };
  const bound = bindBrowser(deps, request);
  await limitStarts(deps, request, bound);
  const record = await saveState(deps, instance, connection, request, bound).catch((error: unknown) => {
    deps.startLimit.ended(bound.state);
    throw error;
  });
  return sendToProvider(deps, instance, connection, request, bound, record);
}

async function completeSignIn(deps: SignInDeps, request: ProviderCallback): Promise<Ended> {
  const call = { ...request, startedAt: performance.now(), note: deps.flows.of(flowIdOf(request.state)) };
  let claimed;
  let begun;
  try {
    claimed = await claimState(deps, call);
    begun = checkBrowser(deps, call, checkState(deps, call, claimed.record));
  } catch (error) {
    return endState(claimed, refuse(call, error));
  }
  const { record, instance } = begun;
  let exchanged: ExchangedCode | undefined;
  try {
    const connection = await deps.connect(instance, call.provider);
    checkIssuer(connection, call);
    exchanged = await exchangeCode(deps, call, connection, record);
    const saved = await saveSignIn(deps, call, instance, connection, exchanged);
    const token = await deps.issueToken(instance, saved.user, call.provider, deps.now());
    return returnToken(deps, call, begun, saved, token);
  } catch (error) {
    return endState(claimed, returnError(deps, call, begun, error, exchanged !== undefined));
  }
}
