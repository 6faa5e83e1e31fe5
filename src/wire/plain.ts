/** A type whose parts are written out. */
type Plain<Type> = Type extends object
  ? Type extends infer Known
    ? { [Key in keyof Known]: Plain<Known[Key]> }
    : never
  : Type;

/**
 * For what follows from a schema: the type of its result names no validator in the published declarations, so a program
 * needs none to read them. There is no value.
 */
export function plain<Type>(): Plain<Type> {
  return undefined as never;
}
