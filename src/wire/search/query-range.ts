/** What matters of a term here. Others have no sign. */
interface Comparison {
  readonly operator: string;
  readonly value: string;
}

/**
 * What the comparisons of one field mean together. Repeating a field means OR, so the weakest lower and the weakest upper
 * bound decide. If there is time between these two they are a range, which nothing else could express; otherwise any of
 * the comparisons is enough.
 */
export function combine<Term extends Comparison>(
  comparisons: readonly Term[],
): { any: readonly Term[]; range: readonly Term[] } {
  const ordered = comparisons.toSorted((a, b) => edge(a) - edge(b));
  const lower = ordered.find(({ operator }) => operator.startsWith(">"));
  const upper = ordered.findLast(({ operator }) => operator.startsWith("<"));
  return lower && upper && edge(lower) <= edge(upper)
    ? { any: [], range: [lower, upper] }
    : { any: comparisons, range: [] };
}

/** Whether there are bounds on both sides among alternatives, so that there is no time between them. */
export function isSplit(alternatives: readonly Comparison[]): boolean {
  return [">", "<"].every((sign) => alternatives.some(({ operator }) => operator.startsWith(sign)));
}

/** The first or the last millisecond that satisfies a comparison. Stored times are no finer. */
function edge({ operator, value }: Comparison): number {
  return Date.parse(value) + (operator === ">" ? 1 : operator === "<" ? -1 : 0);
}
