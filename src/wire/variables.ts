interface Instance {
  readonly url: string;
  readonly publishable_key: string;
  readonly secret_key: string;
}

/**
 * The variables by which a program finds a server and an instance of it. `SVC_API_URL` is the front door, whose name every
 * program can resolve: most find no subdomain of localhost. The first instance needs no other address.
 */
export function variablesOf(
  { url, control_key }: { readonly url: string; readonly control_key?: string | undefined },
  instance: Instance,
  isFirst: boolean,
): Readonly<Record<string, string>> {
  return {
    SVC_BASE_URL: isFirst ? url : instance.url,
    SVC_API_URL: url,
    SVC_PUBLISHABLE_KEY: instance.publishable_key,
    SVC_SECRET_KEY: instance.secret_key,
    ...(control_key !== undefined && { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: control_key }),
  };
}

interface Client {
  readonly provider: string;
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly issuer: string;
  readonly endpoints: Readonly<Record<string, string>>;
}

/** The variables for an application with its own client at a simulated provider, such as `GOOGLE_ISSUER` and `GITHUB_TOKEN_URL`. */
export function clientVariablesOf({ provider, client_id, client_secret, issuer, endpoints }: Client) {
  const prefix = provider.toUpperCase();
  const addresses = Object.entries(endpoints).map(([name, url]) => [`${prefix}_${name.toUpperCase()}_URL`, url]);
  return {
    [`${prefix}_CLIENT_ID`]: client_id,
    ...(client_secret !== undefined && { [`${prefix}_CLIENT_SECRET`]: client_secret }),
    [`${prefix}_ISSUER`]: issuer,
    ...(Object.fromEntries(addresses) as Record<string, string>),
  };
}

/** An environment for a program that is given one service: what is meant for another is not passed on. */
export function withoutVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.toUpperCase().startsWith("SVC_")));
}
