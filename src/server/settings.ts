import * as z from "zod/mini";
import { optionProblem } from "../text/suggestion.ts";
import { client } from "../wire/control/seed.ts";
import { PROVIDERS_MODES } from "../wire/serve.ts";
import { ServeError } from "./errors.ts";
import type { ServeOptions } from "./options.ts";
import { RETENTION_FORM, retentionMs } from "./retention.ts";
import { checkedBy, firstOf } from "./zod-errors.ts";

export const nonEmptyText = z.string().check(z.minLength(1));
const flag = z.optional(z.boolean());
const callback = <Type>() => z.optional(z.custom<Type>((value) => typeof value === "function", "must be a function"));

/** What `svc.config.json` may say, too, under the same names in snake case. */
export const SETTINGS = {
  port: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  host: z.optional(nonEmptyText),
  store: z.optional(nonEmptyText),
  strict: flag,
  providers: z.optional(z.enum(PROVIDERS_MODES)),
  publicUrl: z.optional(z.url({ protocol: /^https?$/ })),
  allowedHosts: z.optional(z.array(nonEmptyText)),
  clients: z.optional(z.array(client)),
  trustProxy: z.optional(z.array(nonEmptyText)),
  geoip: z.optional(nonEmptyText),
  https: flag,
  retention: z.optional(
    z.strictObject({
      sessions: z.optional(
        z.string().check(z.refine((value) => retentionMs(value) !== undefined, { error: RETENTION_FORM })),
      ),
    }),
  ),
};

const OPTIONS = z.object({
  ...SETTINGS,
  seed: z.optional(z.union([nonEmptyText, z.looseObject({})], "must be a path or a seed")),
  reset: flag,
  credentials: z.optional(z.looseObject({})),
  metrics: flag,
  providerTimeoutMs: z.optional(z.number().check(z.positive())),
  control: flag,
  controlKey: z.optional(z.string()),
  now: callback<ServeOptions["now"]>(),
  fetch: callback<ServeOptions["fetch"]>(),
  env: z.optional(z.record(z.string(), z.optional(z.string()))),
  onInstances: callback<ServeOptions["onInstances"]>(),
  onRequest: callback<ServeOptions["onRequest"]>(),
  onAudit: callback<ServeOptions["onAudit"]>(),
  onReset: callback<ServeOptions["onReset"]>(),
  warn: callback<ServeOptions["warn"]>(),
} satisfies Record<keyof ServeOptions, z.ZodMiniType>);

/** @throws {ServeError} for missing options, for a value that can't be used, and for an unknown name, which would be ignored */
export function checkServeOptions(options: ServeOptions): void {
  const problem = optionProblem("serve", options, Object.keys(OPTIONS.shape));
  if (problem !== undefined) throw new ServeError(problem);
  const { faults } = checkedBy(OPTIONS, options);
  if (faults) throw unusable("The options of serve", faults);
}

/** @param name of a file, or what else has the settings */
export function unusable(name: string, faults: readonly string[]): ServeError {
  return new ServeError(
    `${name} can't be used:\n${firstOf(faults)
      .map((fault) => `  ${fault}`)
      .join("\n")}`,
  );
}
