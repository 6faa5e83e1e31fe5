/** A term in either spelling after a minus. Its field has at least two letters: one would be a short option. */
const NEGATED_TERM = /^-[a-z][a-z0-9_.]+(?::|>=|<=|>|<|=)/;

/**
 * Protects a negated search term such as `-provider:github`, which a parser would read as short options. If one of them
 * took a value, the negation would silently disappear. One argument with several terms, of which the first is negated, is
 * a whole query.
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
