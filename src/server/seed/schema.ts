import * as z from "zod";
import type { Provider } from "../../wire/names.ts";
import { persona, providerEmail, Seed, text } from "../../wire/seed.ts";
import type { SchemaParts } from "../simulator/provider.ts";
import { SIMULATED } from "../simulator/providers.ts";

type Account = z.ZodOptional<z.ZodType<Record<string, unknown>>>;

const parts: SchemaParts = {
  array: z.array,
  boolean: z.boolean,
  int: z.int,
  strictObject: z.strictObject,
  text,
  email: providerEmail,
};
const accounts = Object.fromEntries(
  Object.entries(SIMULATED).map(([name, { accountSchema }]) => [name, accountSchema(parts).optional()]),
) as Record<Provider, Account>;

/** A persona, with the form of its account at every provider. */
export const SeedPersona = persona.extend(accounts);

/** A seed file, with the form of the personas' accounts at every provider. */
export const SeedFile = Seed.extend({ personas: z.array(SeedPersona).default([]) });
