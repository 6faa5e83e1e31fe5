import { PROVIDERS } from "../../wire/providers.ts";
import { enumerated } from "../../text/suggestion.ts";

const [FIRST, ...OTHERS] = PROVIDERS.map((name) => name.toUpperCase());
/** The variables of the providers' credentials. */
export const CREDENTIALS = {
  id: `SVC_${FIRST}_CLIENT_ID`,
  secret: `SVC_${FIRST}_CLIENT_SECRET`,
  others: `the same for ${enumerated(OTHERS, "and")}`,
};

/** Every variable that is read, in the order of `svc help environment`. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  SVC_PROFILE: "the profile to use; --profile takes precedence",
  SVC_BASE_URL: "the address of your instance",
  SVC_INSTANCE: "an instance of the local server; --instance takes precedence",
  SVC_API_URL: "the address of the service, where instances are resolved",
  SVC_PUBLISHABLE_KEY: "finds your instance's address at SVC_API_URL",
  SVC_SECRET_KEY: "your instance's secret key",
  SVC_SECRET_KEY_FILE: "a file with the key",
  SVC_CONTROL_URL: "for svc dev and svc logs: the front door of a development server elsewhere",
  SVC_CONTROL_KEY: "its control key; for svc serve: the key to have, instead of a new one at each start",
  SVC_CONFIG_DIR: "the directory of profiles; default XDG_CONFIG_HOME/svc or ~/.config/svc",
  SVC_DATA_DIR: "the directory of stores and servers' files; default XDG_DATA_HOME/svc or ~/.local/share/svc",
  SVC_KEYRING: "off stores keys in files that only you can read; default auto",
  SVC_TIMEOUT: "how long to wait for an answer, such as 30s; default 10s, for svc dev 60s",
  SVC_RETRIES: "how often to repeat a failed read or verification; default 1, 4 for deletions; svc api repeats nothing",
  SVC_WAIT: "how long to wait for a service that is not up yet, such as 60s; default 0",
  SVC_INSECURE: "1 allows a secret key over plain http to another machine",
  SVC_LOG: "debug logs each request to stderr, without keys and tokens; default off",
  SVC_NO_INPUT: "never prompt; CI has the same effect",
  SVC_BROWSER: "the program that opens pages",
  NO_COLOR: "no color; FORCE_COLOR and TERM=dumb are honored as well",
  SVC_PORT: "for svc serve: its port",
  SVC_HOST: "for svc serve: the address it listens on",
  SVC_STORE: "for svc serve: the store",
  [CREDENTIALS.id]: `for svc serve, with ${CREDENTIALS.secret}; ${CREDENTIALS.others}`,
};
