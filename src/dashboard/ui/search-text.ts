/** A word without the signs of the search language. Marks and apostrophes belong to names: Zoë, हिन्दी, O’Neill. */
export const WORD = /^[\p{L}\p{N}\p{M}@._+'’-]+$/u;

/** The words of a name, if the text is nothing else: `Ada Lovelace`. A word alone may be the start of a field. */
export function nameIn(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  return words.length > 1 && words.every((word) => WORD.test(word) && !word.includes("@"))
    ? words.join(" ")
    : undefined;
}

/** What a search sends: a query in the search language, or words that the name contains. */
export function searchFor(text: string): { readonly query?: string; readonly name?: string } {
  const name = nameIn(text);
  if (name !== undefined) return { name };
  return text === "" ? {} : { query: text };
}
