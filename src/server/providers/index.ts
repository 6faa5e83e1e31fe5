import type { Provider } from "../../wire/providers.ts";
import { github } from "./github.ts";
import { google } from "./google.ts";
import type { ProviderDefinition } from "./provider.ts";
import { twitter } from "./twitter.ts";

export const DEFINITIONS: Readonly<Record<Provider, ProviderDefinition>> = { google, github, twitter };
