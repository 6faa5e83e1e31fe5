/** A text in quotes, as bash, dash, zsh and fish take it: none of them replaces anything in it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
