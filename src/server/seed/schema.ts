import * as z from "zod/mini";
import type { Provider } from "../../wire/providers.ts";
import { persona, providerEmail, Seed, text } from "../../wire/control/seed.ts";
import type { SchemaParts } from "../simulator/provider.ts";
import { SIMULATED } from "../simulator/providers.ts";

type Account = z.ZodMiniOptional<z.ZodMiniType<Record<string, unknown>>>;

const parts: SchemaParts = {
  array: z.array,
  boolean: z.boolean,
  int: z.int,
  positive: z.positive,
  strictObject: z.strictObject,
  text,
  email: providerEmail,
};
const accounts = Object.fromEntries(
  Object.entries(SIMULATED).map(([name, { accountSchema }]) => [name, z.optional(accountSchema(parts))]),
) as Record<Provider, Account>;

/** A persona, with the form of its account at every provider. */
export const SeedPersona = z.extend(persona, accounts);

/** A seed file, with the form of the personas' accounts at every provider. */
export const SeedFile = z.extend(Seed, { personas: z._default(z.array(SeedPersona), []) });
