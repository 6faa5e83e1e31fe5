const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const PARTS = /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/;

/**
 * Milliseconds of a duration such as `90d`, `1h30m` or `1.5s`, wherever one is typed.
 * @param bare what a number without a unit counts, where one is allowed
 * @returns undefined if it is not a duration
 */
export function durationMs(text: string, bare?: "ms" | "s"): number | undefined {
  if (bare && /^\d+(?:\.\d+)?$/.test(text)) return finite(Number(text) * UNITS[bare]!);
  if (!PARTS.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) total += Number(amount) * UNITS[unit!]!;
  return finite(total);
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.round(ms) : undefined;
}
