import { flowIdOf } from "../history/flows.ts";
import {
  addressAtCallbackHost,
  findInstance,
  limitStarts,
  newState,
  permitStart,
  saveState,
  sendToProvider,
  type BeginRequest,
  type Begun,
} from "./begin.ts";
import { checkIssuer, exchangeCode, returnError, returnToken, saveSignIn, type ExchangedCode } from "./callback.ts";
import { checkBrowser, checkState, claimState, noteRefusal, type ProviderCallback, type Ended } from "./claim.ts";
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
  const start = await permitStart(deps, instance, request);
  const elsewhere = addressAtCallbackHost(deps, start);
  if (elsewhere !== undefined) return { instance, location: elsewhere };
  const { record, cookie } = newState(deps, start);
  await limitStarts(deps, request, record);
  await saveState(deps, record);
  return sendToProvider(deps, start, record, cookie);
}

/**
 * From the provider back to the application.
 * @throws {SignInRefused} if no address of the application can be trusted
 * @throws {StorageUnavailable} if a crash could bring the state back
 */
async function completeSignIn(deps: SignInDeps, request: ProviderCallback): Promise<Ended> {
  const call = { ...request, startedAt: performance.now(), note: deps.flows.of(flowIdOf(request.state)) };
  let claimed;
  let signIn;
  try {
    claimed = await claimState(deps, call);
    signIn = checkBrowser(deps, checkState(deps, call, claimed.record));
  } catch (error) {
    noteRefusal(call, error);
    await claimed?.end();
    throw error;
  }
  const { instance, provider } = signIn;
  let exchanged: ExchangedCode | undefined;
  try {
    const connection = await deps.connect(instance, provider);
    checkIssuer(connection, signIn);
    exchanged = await exchangeCode(deps, signIn, connection);
    const saved = await saveSignIn(deps, signIn, connection, exchanged);
    const token = await deps.issueToken(instance, saved.user, provider, deps.now());
    return returnToken(deps, signIn, saved, token);
  } catch (error) {
    const ended = returnError(deps, signIn, error, exchanged !== undefined);
    await claimed.end();
    return ended;
  }
}
