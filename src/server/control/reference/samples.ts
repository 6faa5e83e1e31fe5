import { curlCommand } from "../../../wire/text/shell.ts";
import { requestPath } from "../../../wire/http/request.ts";
import type { Key, RouteDefinition } from "../../../wire/route.ts";
import { EXAMPLES, exampleParams } from "./examples.ts";

/** A call of a route, as the OpenAPI document has it in `x-codeSamples`. */
export interface Sample {
  readonly lang: "Shell" | "TypeScript";
  readonly label: string;
  readonly source: string;
}

const VARIABLE = /\$([A-Z_]+)/g;
const KEYS = { secret: "secret", either: "publishable", control: "control", none: undefined } as const;

/** A route called by curl, and by the client that has a method for it. */
export function samplesOf(front: string, base: string, route: string, definition: RouteDefinition): Sample[] {
  const [method = "", path = ""] = route.split(" ");
  const { query, body } = EXAMPLES[`${method} ${base}${path}`] ?? {};
  const url = `${front}${base}${readable(requestPath(route, exampleParams(path), query))}`;
  const curl = curlCommand({
    method,
    url,
    key: KEYS[definition.key as Key],
    body: body && JSON.stringify(body),
    variables: VARIABLE,
  });
  return [
    { lang: "Shell", label: "curl", source: definition.isNavigation ? curl.replace("curl", "curl -i") : curl },
    { lang: "TypeScript", label: "TypeScript", source: program(route, base, url, definition) },
  ];
}

/** What needs no escape in an address, and what is a variable. */
function readable(path: string): string {
  return path.replaceAll("%24", "$").replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%40", "@");
}

function program(route: string, base: string, url: string, { method, isNavigation }: RouteDefinition): string {
  const path = route.slice(route.indexOf(" ") + 1);
  const { query, body } = EXAMPLES[route.replace(" ", ` ${base}`)] ?? {};
  const params = exampleParams(path);
  if (isNavigation) return `const response = await fetch(${literal(url)}, { redirect: "manual" });`;
  if (method === undefined)
    return `await svc.control.request(${[literal(route), callOf(params, query, body)].join("")});`;
  // The client reads the publishable key from its options.
  const values = method === "instances.resolve" ? {} : { ...params, ...query, ...body };
  return `await svc.${method}(${Object.values(values).map(literal).join(", ")});`;
}

function callOf(params: object, query: object = {}, body: object = {}): string {
  const parts = Object.entries({ params, query, body }).filter(([, part]) => Object.keys(part).length > 0);
  return parts.length === 0 ? "" : `, ${literal(Object.fromEntries(parts))}`;
}

/** A value as it is written in a program. A text such as `$USER_ID` is the variable `userId`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, own]) => (literal(own) === name ? name : `${name}: ${literal(own)}`))
      .join(", ")} }`;
  if (typeof value !== "string" || !value.includes("$")) return JSON.stringify(value);
  const whole = /^\$([A-Z_]+)$/.exec(value);
  if (whole) return camelCase(whole[1]!);
  return `\`${value.replaceAll(VARIABLE, (_, name: string) => `\${${camelCase(name)}}`)}\``;
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
