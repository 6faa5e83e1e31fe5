/** What a word can become. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** Says that the shell is to complete the name of a file. */
export const FILES: readonly Candidate[] = [{ value: ":files" }];
