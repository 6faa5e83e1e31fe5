import type { Provider } from "../../src/wire/providers.ts";
import { realGithub } from "./_github.ts";
import { realGoogle } from "./_google.ts";
import type { RealProvider } from "./_real-provider.ts";
import { realTwitter } from "./_twitter.ts";

/** What the tests know of each real provider. A new provider adds a line here and a file beside. */
export const REAL: Readonly<Record<Provider, RealProvider>> = {
  google: realGoogle,
  github: realGithub,
  twitter: realTwitter,
};
