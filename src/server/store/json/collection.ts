import type { Clause, Query } from "../../../wire/query.ts";
import type { PageOptions } from "../store.ts";
import { matcher } from "./match.ts";
import { Ordered } from "./ordered.ts";
import { slices } from "../slices.ts";
import { BLOCK_ROWS, TextColumn, textTerm, type TextTerm } from "./text-column.ts";

/** What a collection has to know of its rows. */
export interface RowKind<Row> {
  key(row: Row): string;
  /** What the rows are listed by, newest first. */
  time(row: Row): string;
  id(row: Row): string;
  /** The row with a key as it is now. */
  current(key: string): Row | undefined;
  /** The only rows whose `field` can be `value`, where an index tells. */
  withValue(field: string, value: string): readonly Row[] | undefined;
}

/** A clause that only rows with certain texts satisfy. */
interface TextClause {
  readonly clause: Clause;
  readonly terms: readonly TextTerm[];
}

interface Candidates<Row> {
  readonly rows: Iterable<Row>;
  readonly isCertain: boolean;
}

/** Rows looked at, or handed over to be answered, before other requests get a turn. */
const BATCH = 256;
/** Matches that are put in order at once; more of them are found soon by looking at all rows in order. */
const FEW = 4096;

/** One instance's users or sessions: in order, and searchable. */
export class Collection<Row extends object> {
  readonly #kind: RowKind<Row>;
  readonly #ordered: Ordered<Row>;
  /** The keys of the rows that the columns speak of, oldest first. Undefined: nothing was searched yet. */
  #slots: string[] | undefined;
  /** While the slots are made: the keys of rows that were added meanwhile, which come behind the others. */
  #late: string[] | undefined;
  #making: Promise<void> | undefined;
  /** By field. One that is being made has fewer texts than there are slots. */
  #columns = new Map<string, { readonly column: TextColumn; readonly made: Promise<unknown> }>();
  /** How many of the slots name a row that is gone, or has another slot by now. */
  #stale = 0;
  #isInOrder = true;
  #newest: Row | undefined;

  constructor(kind: RowKind<Row>) {
    this.#kind = kind;
    this.#ordered = new Ordered(kind.time, kind.id);
  }

  add(row: Row): void {
    this.#ordered.add(row);
    this.#addSlot(row);
  }

  remove(row: Row): void {
    this.#ordered.remove(row);
    this.#dropSlot();
  }

  replace(before: Row, after: Row): void {
    this.#ordered.replace(before, after);
    const isSame =
      this.#kind.time(before) === this.#kind.time(after) &&
      [...this.#columns.keys()].every((field) => textOf(before, field) === textOf(after, field));
    if (isSame) return;
    this.#dropSlot();
    this.#addSlot(after);
  }

  /** Does what the first reading would otherwise wait for. */
  sort(): void {
    this.#ordered.sort();
  }

  /** A page of rows, newest first, in batches. Looking through them and answering with them is done in slices of time. */
  async *find({ query = [], limit = Infinity }: PageOptions, after: Row | undefined): AsyncIterable<Row[]> {
    const matches = matcher(query);
    let left = limit;
    let seen = 0;
    let batch: Row[] = [];
    await slices.next(true);
    for await (const { rows, isCertain } of this.#candidates(query, after)) {
      for (const row of rows) {
        if (isCertain || matches(row)) {
          batch.push(row);
          left--;
        }
        if (left <= 0) break;
        if (++seen % BATCH > 0 && batch.length < BATCH) continue;
        if (batch.length === BATCH) {
          yield batch;
          batch = [];
        }
        await slices.next();
      }
      if (left <= 0) break;
    }
    if (batch.length > 0) yield batch;
  }

  /** Rows in order, among which are all that match. Certain: no others are. */
  async *#candidates(query: Query, after: Row | undefined): AsyncIterable<Candidates<Row>> {
    const known = this.#byIndex(query);
    const text = known ? undefined : textClause(query);
    if (known) yield { rows: this.#inOrder(known, after), isCertain: false };
    else if (text) yield* this.#byText(text, query, after);
    else yield { rows: this.#ordered.newestFirst(after), isCertain: query.length === 0 };
  }

  #byIndex(query: Query): readonly Row[] | undefined {
    for (const { field, values, range } of query) {
      if (range.length > 0 || values.length === 0 || values.some(({ operator }) => operator !== "is")) continue;
      const found = values.map(({ value }) => this.#kind.withValue(field, value));
      if (found.every((rows) => rows !== undefined)) return [...new Set(found.flat())];
    }
    return undefined;
  }

  async *#byText({ clause, terms }: TextClause, query: Query, after: Row | undefined): AsyncIterable<Candidates<Row>> {
    const column = await this.#column(clause.field);
    const slots = this.#slots!;
    const isAll = query.length === 1 && clause.excluded.length === 0;
    // Slots that are all in use and in order give the rows as they are to be listed.
    const whole: Row[] | undefined = this.#isInOrder ? undefined : [];
    const seen = new Set<Row>();
    for (let block = Math.ceil(column.size / BLOCK_ROWS) - 1; block >= 0; block--) {
      const isFresh = this.#stale === 0 && slots === this.#slots;
      const rows: Row[] = [];
      for (const slot of column.matchesInBlock(block, terms).toReversed()) {
        const row = this.#kind.current(slots[slot]!);
        if (row === undefined || seen.has(row) || (after && this.#ordered.compare(row, after) >= 0)) continue;
        if (!isFresh) seen.add(row);
        rows.push(row);
      }
      if (whole) whole.push(...rows);
      else if (rows.length > 0) yield { rows, isCertain: isFresh && isAll };
      if (whole && whole.length > FEW) {
        yield { rows: this.#ordered.newestFirst(after), isCertain: false };
        return;
      }
      await slices.next();
    }
    if (whole) yield { rows: this.#inOrder(whole, after), isCertain: false };
  }

  #inOrder(rows: readonly Row[], after: Row | undefined): Row[] {
    return [...new Set(rows)]
      .filter((row) => after === undefined || this.#ordered.compare(row, after) < 0)
      .toSorted((a, b) => this.#ordered.compare(b, a));
  }

  /** The column of a field, made when it is first searched. */
  async #column(field: string): Promise<TextColumn> {
    while (this.#slots === undefined)
      await (this.#making ??= this.#makeSlots().finally(() => (this.#making = undefined)));
    const slots = this.#slots;
    let entry = this.#columns.get(field);
    if (!entry) {
      const column = new TextColumn();
      entry = { column, made: this.#fill(column, field, slots) };
      this.#columns.set(field, entry);
    }
    await entry.made;
    // The slots may have been given up meanwhile.
    return slots === this.#slots ? entry.column : this.#column(field);
  }

  async #makeSlots(): Promise<void> {
    const late: string[] = [];
    this.#late = late;
    const keys: string[] = [];
    this.#newest = undefined;
    for (const row of this.#ordered.newestFirst()) {
      this.#newest ??= row;
      keys.push(this.#kind.key(row));
      if (keys.length % BATCH === 0) await slices.next();
      if (late !== this.#late) return;
    }
    this.#slots = keys.toReversed().concat(late);
    this.#late = undefined;
  }

  async #fill(column: TextColumn, field: string, slots: readonly string[]): Promise<void> {
    while (column.size < slots.length && slots === this.#slots) {
      await slices.next();
      const end = Math.min(column.size + BATCH, slots.length);
      for (let slot = column.size; slot < end; slot++) {
        const row = this.#kind.current(slots[slot]!);
        column.append(row === undefined ? null : textOf(row, field));
      }
    }
  }

  #addSlot(row: Row): void {
    const slots = this.#slots ?? this.#late;
    if (slots === undefined) return;
    if (this.#newest !== undefined && this.#ordered.compare(this.#newest, row) > 0) this.#isInOrder = false;
    else this.#newest = row;
    for (const [field, { column }] of this.#columns)
      if (column.size === slots.length) column.append(textOf(row, field));
    slots.push(this.#kind.key(row));
  }

  #dropSlot(): void {
    if (this.#slots === undefined && this.#late === undefined) return;
    this.#stale++;
    if (this.#stale <= this.#ordered.size + 64) return;
    // Made anew by the next search.
    this.#slots = undefined;
    this.#late = undefined;
    this.#columns = new Map();
    this.#stale = 0;
    this.#isInOrder = true;
  }
}

/** Of the clauses over text the one with the longest words, which the fewest rows should have. */
function textClause(query: Query): TextClause | undefined {
  const candidates = query.flatMap((clause) => {
    if (clause.type !== "string" || clause.range.length > 0 || clause.values.length === 0) return [];
    const terms = clause.values.map(textTerm).filter((term) => term !== undefined);
    return terms.length === clause.values.length ? [{ clause, terms }] : [];
  });
  const shortest = ({ terms }: TextClause): number => Math.min(...terms.map(({ value }) => value.length));
  return candidates.toSorted((a, b) => shortest(b) - shortest(a))[0];
}

function textOf(row: object, field: string): string | null {
  return (row as Record<string, string | null>)[field] ?? null;
}
