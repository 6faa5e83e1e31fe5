/** As much of a JSON schema as the tables of routes need. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly not?: unknown;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** A schema as a type of TypeScript, with a field in each line and its description beside it. */
export function shapeOf(schema: JsonSchema, indent = ""): string {
  const { type, enum: values, anyOf, items, prefixItems, properties, additionalProperties, const: value } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.map((entry) => JSON.stringify(entry)).join(" | ");
  if (anyOf) return [...new Set(anyOf.map((each) => shapeOf(each, indent)))].join(" | ");
  if (prefixItems) return `[${prefixItems.map((each) => shapeOf(each, indent)).join(", ")}]`;
  if (items) return isUnion(items) ? `(${shapeOf(items, indent)})[]` : `${shapeOf(items, indent)}[]`;
  if (properties) return fieldsOf(schema, indent);
  if (typeof additionalProperties === "object") return `Record<string, ${shapeOf(additionalProperties, indent)}>`;
  return [type ?? "any"].flat().join(" | ");
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, own]) => {
    const field = `${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? "" : "?"}: `;
    return field + shapeOf(own, inner) + commentOf(own);
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

/** What a type does not say: the description, the range of a number, the default. */
export function wordsOn({ description, default: usual, minimum, maximum = Infinity }: JsonSchema): string {
  const hasRange = minimum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const words = [
    description,
    hasRange && `${minimum} to ${maximum}`,
    usual !== undefined && `default: ${JSON.stringify(usual)}`,
  ];
  return words.filter(Boolean).join("; ");
}

function commentOf(schema: JsonSchema): string {
  const words = wordsOn(schema);
  return words === "" ? "" : `  // ${words}`;
}

function isUnion({ type, enum: values, anyOf }: JsonSchema): boolean {
  return [type, values, anyOf].some((list) => Array.isArray(list) && list.length > 1);
}
