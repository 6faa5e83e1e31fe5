import { enumerated } from "../../wire/text/suggestion.ts";
import { PROVIDERS } from "../../wire/providers.ts";

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
  SVC_API_URL: "the address of the service, where instances are resolved",
  SVC_PUBLISHABLE_KEY: "finds your instance's address at SVC_API_URL",
  SVC_SECRET_KEY: "your instance's secret key",
  SVC_SECRET_KEY_FILE: "a file with the key",
  SVC_SECRET_KEY_COMMAND: "a command that prints the key, such as a password manager's",
  SVC_CONTROL_URL: "for svc dev and svc logs: the front door of a development server elsewhere",
  SVC_CONTROL_KEY: "its control key; for svc serve: the key to have, instead of a new one at each start",
  SVC_CONFIG_DIR: "the directory of profiles; default XDG_CONFIG_HOME/svc or ~/.config/svc",
  SVC_KEYRING: "off stores keys in files that only you can read; default auto",
  SVC_TIMEOUT: "how long to wait for an answer, such as 30s; default 10s, for svc dev 60s",
  SVC_RETRIES:
    "how often to repeat a failed read or verification; default 1, 0 for svc api, 4 for deleting several users",
  SVC_WAIT: "how long to wait for a service that is not up yet, in all, such as 60s; default 0",
  SVC_INSECURE: "1 allows a secret key over plain http to another machine",
  SVC_LOG: "debug logs each request to stderr, without keys and tokens; default off",
  SVC_OUTPUT: "the default of --output, for commands that print records",
  SVC_NO_INPUT: "never prompt; CI has the same effect",
  SVC_PAGER: "the program that shows long tables; else PAGER, else less",
  SVC_BROWSER: "the program that opens pages",
  SVC_NO_COLOR: "no color; NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_COLOR and TERM=dumb are also honored",
  SVC_PORT: "for svc serve: its port",
  SVC_HOST: "for svc serve: the address it listens on",
  SVC_STORE: "for svc serve: the store",
  [CREDENTIALS.id]: `for svc serve, with ${CREDENTIALS.secret}; ${CREDENTIALS.others}`,
};
