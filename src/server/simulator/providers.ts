import type { Provider } from "../../wire/providers.ts";
import { simulatedGithub } from "./github.ts";
import { simulatedGoogle } from "./google.ts";
import type { SimulatedProvider } from "./provider.ts";
import { simulatedTwitter } from "./twitter.ts";

export const SIMULATED: Readonly<Record<Provider, SimulatedProvider>> = {
  google: simulatedGoogle,
  github: simulatedGithub,
  twitter: simulatedTwitter,
};
