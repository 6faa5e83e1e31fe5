/** A record with the values that a patch sets. */
export function patched<Row extends object>(
  before: Row,
  patch: { readonly [Column in keyof Row]?: Row[Column] | undefined },
): Row {
  const set = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(set) };
}
