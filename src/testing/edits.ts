type Fields = Readonly<Record<string, unknown>>;

/**
 * Changes to fields as the service takes them: JSON has no `undefined`, which leaves a field out here.
 * @param name of the option with the fields, such as `claims`
 */
export function withEdits<Name extends string, Options extends { readonly [Key in Name]?: Fields | undefined }>(
  name: Name,
  options: Options & { readonly omit?: readonly string[] | undefined },
): Options {
  const fields = options[name];
  const left = typeof fields === "object" && fields !== null ? undefinedIn(fields) : [];
  return left.length === 0 ? options : { ...options, omit: [...(options.omit ?? []), ...left] };
}

function undefinedIn(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [name];
    const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
    return isNested ? undefinedIn(value as object).map((inner) => `${name}.${inner}`) : [];
  });
}
