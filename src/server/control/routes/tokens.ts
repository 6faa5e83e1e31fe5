import { ERRORS, errorBody } from "../../../wire/errors.ts";
import { PROVIDERS } from "../../../wire/providers.ts";
import { editOf } from "../../simulator/edit.ts";
import { ApiError } from "../../errors.ts";
import { verifiedToken } from "../../http/routes/product.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { UserView } from "../../store/store.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { chosenInstance, findUser, requireFound } from "../records.ts";
import { claimedInstance } from "../../token.ts";
import { explainToken } from "../token-report.ts";
import { createToken } from "../token-kinds.ts";

export const tokenRoutes: HandlersOf<"/tokens"> = {
  "POST /tokens": async ({ body }, deps) => {
    const { kind, expires_in } = body;
    checkExpiry(kind, expires_in);
    const instance = chosenInstance(deps, body.instance);
    const { user, providers } = await chosenUser(deps, instance, body.user);
    const provider = body.provider ?? providers[0] ?? PROVIDERS[0];
    const now = Math.floor(deps.now().getTime() / 1000);
    const edit = editOf(body.claims, body.omit);
    const token = createToken({ kind, instance, user, provider, now, expires_in, edit });
    const { status, answer } = await verify(deps, instance, token);
    return { token, kind, expect: { status, error: typeof answer["error"] === "string" ? answer["error"] : null } };
  },

  "POST /tokens/verify": async ({ body: { token, instance: name } }, deps) => {
    const claimed = name === undefined ? deps.instances.byId(claimedInstance(token) ?? "") : undefined;
    const instance = claimed ?? chosenInstance(deps, name);
    const { status, answer } = await verify(deps, instance, token);
    return { status, answer, ...(await explainToken(token, instance, deps, status)) };
  },
};

/** What `POST /api/v1/tokens/verify` answers to a key of the instance. */
async function verify(
  deps: ControlDeps,
  instance: InstanceRecord,
  token: string,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  try {
    if (token === "") throw new ApiError("missing_token");
    return { status: 200, answer: { ...(await verifiedToken(deps, instance, token)) } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: ERRORS[error.code].status, answer: { ...errorBody(error.code, error.detail) } };
  }
}

/** The user that is named, or the newest one. */
async function chosenUser(deps: ControlDeps, instance: InstanceRecord, name: string | undefined): Promise<UserView> {
  if (name !== undefined) {
    const persona = name.includes("@") ? undefined : deps.simulator.personas.find(name);
    const view = (await findUser(deps, instance, name)) ?? (persona && (await findUser(deps, instance, persona.email)));
    return requireFound(view, "user_not_found", `${instance.subdomain} has no user "${name}"`);
  }
  for await (const [view] of deps.store.users(instance.id, { limit: 1, isFresh: true })) if (view) return view;
  throw new ApiError("user_not_found", `${instance.subdomain} has no users yet; sign in, or make one`);
}

function checkExpiry(kind: string, expires_in: number | undefined): void {
  if (expires_in === undefined) return;
  if (kind === "valid" && expires_in < 1)
    throw new ApiError("bad_request", 'expires_in: must be 1 or more for a valid token; use the kind "expired"');
  if (kind === "expired" && expires_in > 0)
    throw new ApiError("bad_request", "expires_in: must be 0 or less for an expired token");
  if (kind !== "valid" && kind !== "expired")
    throw new ApiError("bad_request", `expires_in: has no meaning for the kind ${kind}`);
}
