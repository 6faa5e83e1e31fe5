/** JSON that was typed in. The server validates it, and names the place of each fault. @throws {Error} */
export function parsed(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
