/** A term in either spelling with a minus before it. Its field has two letters at least: one would be a short option. */
const NEGATED_TERM = /^-[a-z][a-z0-9_.]+(?::|>=|<=|>|<|=)/;

/**
 * Keeps `-provider:github` what it is, a negated search term: as it stands, a parser takes it for short options, and
 * where one of those has a value the negation would vanish without a word. One argument with several terms in it, of
 * which the first is negated, is a whole query.
 * @param valueOptions the long options that take the next argument as their value
 */
export function protectTerms(argv: readonly string[], valueOptions: ReadonlySet<string>): string[] {
  const end = argv.indexOf("--");
  return argv.map((argument, i) => {
    const isProtected = (end >= 0 && i > end) || valueOptions.has(argv[i - 1] ?? "");
    if (isProtected || !NEGATED_TERM.test(argument)) return argument;
    return /\s/.test(argument.trim()) ? `--query=${argument}` : `--not=${argument.slice(1)}`;
  });
}
