/** What a program needs to know of a server. */
interface Described {
  /** The front door. */
  readonly url: string;
  readonly control_key?: string | undefined;
}

interface Keys {
  readonly url: string;
  readonly publishable_key: string;
  readonly secret_key: string;
}

/**
 * The variables by which a program finds a server and an instance of it. The first instance answers at the front door,
 * whose name every program can resolve: most find no subdomain of localhost.
 */
export function variablesOf(server: Described, instance: Keys, isFirst: boolean): Readonly<Record<string, string>> {
  const { url, control_key } = server;
  return {
    SVC_BASE_URL: isFirst ? url : instance.url,
    SVC_API_URL: url,
    SVC_PUBLISHABLE_KEY: instance.publishable_key,
    SVC_SECRET_KEY: instance.secret_key,
    ...(control_key !== undefined && { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: control_key }),
  };
}
