import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * In a fresh clone vitest knows only how large a file is. Files that wait for PostgreSQL are small and slow: at the end of a
 * run they would wait alone, so each is followed by one that works while it waits.
 */
export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // eslint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification): boolean => moduleId.includes("/test/postgres/");
    const working = sorted.filter((file) => !isWaiting(file));
    const waiting = sorted.filter(isWaiting);
    return [...waiting.flatMap((file, n) => [file, ...working.slice(n, n + 1)]), ...working.slice(waiting.length)];
  }
}
