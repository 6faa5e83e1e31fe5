const PAGE = 4096;

/** A change to a file that a power cut may undo. One with `length` only: a failed sync has lost its bytes. */
type Edit = { readonly offset: number; readonly bytes: Buffer } | { readonly length: number };

/** A change to a directory that a power cut may undo: a file is created, renamed or removed. */
export interface Naming {
  readonly names: readonly string[];
  apply(names: Map<string, File>): void;
}

/** The part of a file that is certainly on the disk, and the changes since. */
export class File {
  #durable: Buffer;
  #edits: Edit[] = [];

  constructor(durable: Buffer = Buffer.alloc(0)) {
    this.#durable = durable;
  }

  get length(): number {
    return this.#edits.reduce(lengthAfter, this.#durable.length);
  }

  write(bytes: Buffer, offset = this.length): void {
    this.#edits.push({ offset, bytes });
  }

  truncate(length: number): void {
    this.#edits.push({ length });
  }

  /** Begins a sync, which does not cover later changes. @returns a function to call when it succeeds */
  syncing(): () => void {
    const covered = new Set(this.#edits);
    return () => {
      this.#durable = applied(
        this.#durable,
        this.#edits.filter((edit) => covered.has(edit)),
      );
      this.#edits = this.#edits.filter((edit) => !covered.has(edit));
    };
  }

  /** After a failed sync at most the lengths are on the disk. */
  failSync(): void {
    let { length } = this.#durable;
    this.#edits = this.#edits.map((edit): Edit => {
      length = lengthAfter(length, edit);
      return { length };
    });
  }

  /** The file after a power cut: each page, and the length, as it was after any of the edits. */
  remains(random: () => number): Buffer {
    const pick = (): Buffer =>
      applied(this.#durable, this.#edits.slice(0, Math.floor(random() * (this.#edits.length + 1))));
    if (this.#edits.length === 0) return this.#durable;
    const content = Buffer.alloc(pick().length);
    for (let start = 0; start < content.length; start += PAGE)
      pick()
        .subarray(start, start + PAGE)
        .copy(content, start);
    return content;
  }
}

const lengthAfter = (length: number, edit: Edit): number =>
  "bytes" in edit ? Math.max(length, edit.offset + edit.bytes.length) : edit.length;

const applied = (content: Buffer, edits: readonly Edit[]): Buffer => edits.reduce(edited, content);

function edited(content: Buffer, edit: Edit): Buffer {
  const end = lengthAfter(content.length, edit);
  const next = Buffer.alloc(end);
  content.copy(next, 0, 0, Math.min(content.length, end));
  if ("bytes" in edit) edit.bytes.copy(next, edit.offset);
  return next;
}
