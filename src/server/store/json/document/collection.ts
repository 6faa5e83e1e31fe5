import type { Clause, Query, Term } from "../../../../wire/search/query.ts";
import { slices } from "../../slices.ts";
import type { PageOptions, Position } from "../../store.ts";
import { matcher } from "./match.ts";
import { Ordered } from "./ordered.ts";
import { textTerm, type TextTerm, TextIndex, type Keyed } from "./text-index.ts";

interface RowKind<Row> extends Keyed<Row> {
  /** What the rows are listed by, newest first; those of one time by `id`. */
  time(row: Row): string;
  /** The records of another table that belong to a row, for fields `of` it. */
  readonly links?: (row: Row) => readonly object[];
  /** By field, those that find the fewest first: the only rows that can satisfy any of the terms; undefined if unknown. */
  readonly indexes: Readonly<Record<string, (terms: readonly Term[]) => readonly Row[] | undefined>>;
}

type TextClause = { readonly clause: Clause; readonly terms: readonly TextTerm[] };

type Candidates<Row> = { readonly rows: Iterable<Row>; readonly isCertain: boolean };

/** Rows looked at, or handed over to be answered, before other requests get a turn. */
const BATCH = 256;
/** Matches that are put in order at once; more of them are found soon by looking at all rows in order. */
export const FEW = 4096;

/** One instance's users or sessions: in order, and searchable. */
export class Collection<Row extends { readonly id: string }> {
  readonly #kind: RowKind<Row>;
  readonly #ordered: Ordered<Row>;
  readonly #texts: TextIndex<Row>;

  constructor(kind: RowKind<Row>) {
    this.#kind = kind;
    this.#ordered = new Ordered(kind.time);
    this.#texts = new TextIndex(kind, this.#ordered);
  }

  add(row: Row): void {
    this.#ordered.add(row);
    this.#texts.add(row);
  }

  remove(row: Row): void {
    this.#ordered.remove(row);
    this.#texts.drop();
  }

  replace(before: Row, after: Row): void {
    this.#ordered.replace(before, after);
    if (this.#kind.time(before) === this.#kind.time(after) && this.#texts.isSame(before, after)) return;
    this.#texts.drop();
    this.#texts.add(after);
  }

  sort(): void {
    this.#ordered.sort();
  }

  /**
   * A page of rows, newest first, in batches. Looking through them and answering with them is done in slices of time.
   * @param present what to answer for a row; undefined if it was deleted meanwhile, so that the next one takes its place
   */
  async *find<Out>(
    { query = [], limit = Infinity, after }: PageOptions,
    present: (row: Row) => Out | undefined,
  ): AsyncIterable<Out[]> {
    const matches = matcher(query, this.#kind.links);
    let left = limit;
    let seen = 0;
    let found: Row[] = [];
    const presented = (): Out[] => {
      const batch = found.map(present).filter((row) => row !== undefined);
      left -= batch.length;
      found = [];
      return batch;
    };
    await slices.next(true);
    for await (const { rows, isCertain } of this.#candidates(query, after)) {
      for (const row of rows) {
        if (isCertain || matches(row)) found.push(row);
        if (found.length === Math.min(BATCH, left)) {
          yield presented();
          if (left === 0) return;
        } else if (++seen % BATCH > 0) continue;
        await slices.next();
      }
    }
    if (found.length > 0) yield presented();
  }

  /** Rows in order, which include all matches. `isCertain` if they include no others. */
  #candidates(query: Query, after: Position | undefined): AsyncIterable<Candidates<Row>> | Candidates<Row>[] {
    const indexed = this.#byIndex(query);
    if (indexed) return [{ rows: this.#inOrder(indexed, after), isCertain: false }];
    const text = textClause(query);
    if (text) return this.#byText(text, query, after);
    return [{ rows: this.#ordered.newestFirst(after), isCertain: query.length === 0 }];
  }

  #byIndex(query: Query): readonly Row[] | undefined {
    for (const [field, index] of Object.entries(this.#kind.indexes)) {
      const clause = query.find((one) => one.field === field && one.values.length > 0);
      const found = clause && index(clause.values);
      if (found) return found;
    }
    return undefined;
  }

  async *#byText(
    { clause, terms }: TextClause,
    query: Query,
    after: Position | undefined,
  ): AsyncIterable<Candidates<Row>> {
    const isAll = query.length === 1 && clause.excluded.length === 0;
    const unordered: Row[] = [];
    for await (const { rows: found, isFresh, isInOrder } of this.#texts.matches(clause.field, terms, after)) {
      const rows = this.#ordered.behind(found, after);
      if (isInOrder) {
        if (rows.length > 0) yield { rows, isCertain: isFresh && isAll };
        continue;
      }
      unordered.push(...rows);
      if (unordered.length > FEW) {
        yield { rows: this.#ordered.newestFirst(after), isCertain: false };
        return;
      }
    }
    if (unordered.length > 0) yield { rows: this.#inOrder(unordered, after), isCertain: false };
  }

  #inOrder(rows: readonly Row[], after: Position | undefined): Row[] {
    return this.#ordered.behind([...new Set(rows)], after).toSorted((a, b) => this.#ordered.compare(b, a));
  }
}

/** Of the clauses over text the one with the longest words, which the fewest rows should have. */
function textClause(query: Query): TextClause | undefined {
  const candidates = query.flatMap((clause) => {
    if (clause.type !== "string" || clause.of || clause.values.length === 0) return [];
    const terms = clause.values.map(textTerm).filter((term) => term !== undefined);
    return terms.length === clause.values.length ? [{ clause, terms }] : [];
  });
  const shortest = ({ terms }: TextClause): number => Math.min(...terms.map(({ value }) => value.length));
  return candidates.toSorted((a, b) => shortest(b) - shortest(a))[0];
}
