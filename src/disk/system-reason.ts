import { getSystemErrorMap } from "node:util";

/** Why the system refused something, such as `no such file or directory (ENOENT)`. */
export function systemReason(error: unknown): string {
  const { code, errno = 0, message } = error as NodeJS.ErrnoException;
  const words = getSystemErrorMap().get(errno)?.[1];
  return words === undefined ? (code ?? message) : `${words} (${code})`;
}
