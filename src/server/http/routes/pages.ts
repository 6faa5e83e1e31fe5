import { createHmac } from "node:crypto";
import type { H3, H3Event } from "h3";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../../../wire/errors.ts";
import { readClaims } from "../../../wire/token.ts";
import { Refusal } from "../../errors.ts";
import type { Offers } from "../../providers/offers.ts";
import { hostOf, nodeOf } from "../context.ts";
import type { FailureDeps } from "../failure.ts";
import { addRoutes, type HandlersOf } from "../dispatch.ts";
import { homePage } from "../pages/home.ts";
import { noTokenPage, notSignedInPage, signedInPage } from "../pages/signed-in.ts";
import { json, page, redirect } from "../respond.ts";
import type { ApiDeps } from "./access.ts";

interface PageDeps extends ApiDeps {
  readonly offers: Offers;
  readonly isLocal: boolean;
  readonly allowsUnlisted: boolean;
  /** Undefined on a server without a dashboard. */
  readonly control: object | undefined;
  readonly seen: FailureDeps["seen"];
  readonly identitySecret: string;
}

/** Pages of svc itself, which the specification does not name. */
const ROWS = { "GET /": {}, "GET /__svc/identity": {}, "GET /__svc/signed-in": { on: ["front"] } } as const;

/** svc's own pages. Only a server that no other machine can reach has them: they name every instance. */
export function addPageRoutes(app: H3, deps: PageDeps): void {
  const { instances, addresses, offers, tokens, now, isLocal, allowsUnlisted, control, seen, identitySecret } = deps;
  const handlers: HandlersOf<typeof ROWS> = {
    "GET /": ({ request }) => {
      requireLocal();
      if (request.scope.kind !== "front") return redirect(`${addresses.front}/`);
      const options = { hasControl: control !== undefined, allowsUnlisted };
      return page(homePage(instances.all, addresses, offers.providersOf, options));
    },

    /** Stands in for an application's callback. */
    "GET /__svc/signed-in": async ({ request: { query } }) => {
      requireLocal();
      const flow_id = query.get("flow");
      const sign_in = seen(flow_id);
      const options = sign_in && flow_id !== undefined ? { noted: { flow_id } } : {};
      const error = query.get("error");
      if (error !== undefined) {
        // Anything can be in the address, such as the name of a method.
        const meaning = Object.hasOwn(SIGN_IN_ERRORS, error) ? SIGN_IN_ERRORS[error as SignInErrorCode] : undefined;
        return page(notSignedInPage(error, meaning, sign_in), options);
      }
      const token = query.get("token");
      if (token === undefined) return page(noTokenPage());
      const instance = instances.byId(readClaims(token)?.instance_id ?? "");
      if (!instance) throw new Refusal("token_invalid");
      const claims = await tokens.verify(instance, token, now());
      return page(
        signedInPage(
          token,
          claims,
          instance === instances.first ? addresses.front : addresses.instanceUrl(instance),
          sign_in,
        ),
        options,
      );
    },

    /**
     * Proves that this server wrote the file that a command has found: only that contains the secret. A command asks before it
     * sends a key, so that another program gets none. The proof is for the address where the request came in: a program
     * at another address can pass the challenge on, but not use the answer.
     */
    "GET /__svc/identity": ({ event, request }) => {
      const challenge = request.query.get("challenge") ?? "";
      if (!/^[0-9a-f]{32,128}$/.test(challenge))
        throw new Refusal("bad_request", "challenge must be 32 to 128 lower-case hexadecimal characters");
      const proof = createHmac("sha256", identitySecret)
        .update(`identity ${challenge} ${reachedAt(event)}`)
        .digest("hex");
      return json({ proof });
    },
  };
  addRoutes(app, { base: "", on: ["front", "api", "instance"], routes: ROWS }, handlers);

  function requireLocal(): void {
    if (!isLocal) throw new Refusal("not_found");
  }
}

const LOCALHOST = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];

/** Our end of the connection, such as `localhost:7820`; nothing that the request says. */
function reachedAt(event: H3Event): string {
  const node = nodeOf(event);
  if (!node) return hostOf(event);
  const { localAddress = "", localPort } = node.req.socket;
  return `${LOCALHOST.includes(localAddress) ? "localhost" : localAddress}:${localPort}`;
}
