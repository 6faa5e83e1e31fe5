import * as z from "zod/mini";
import { CONTROL_API } from "../../wire/control/routes.ts";
import { ERRORS } from "../../wire/errors.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/ids.ts";
import { ErrorBody } from "../../wire/product/resources.ts";
import { PRODUCT_API } from "../../wire/product/routes.ts";
import type { Key, RouteDefinition } from "../../wire/route.ts";
import { VERSION } from "../../wire/version.ts";

type Json = Record<string, unknown>;
type Response = Readonly<{ description: string; content?: Content }>;
type Content = Readonly<{ "application/json": { readonly schema: JsonSchema } }>;
type Api = keyof typeof APIS;

/** As much of a JSON schema as the parameters of a route need. */
interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly not?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const APIS = { product: PRODUCT_API, control: CONTROL_API };

const PRODUCT_ERRORS = ["bad_request", "not_found", "unknown_host", "internal", "storage_unavailable"] as const;
const CONTROL_ERRORS = {
  400: "Bad request; the error names the invalid value",
  401: "Unauthorized",
  403: "Cross-origin request refused",
  404: "Not found",
  409: "Conflict with existing data",
  413: "Body too large",
  415: "Unsupported media type",
  421: "Unknown host",
  500: "Internal error",
  503: "Storage unavailable",
} as const;

const ERROR = contentOf({ $ref: "#/components/schemas/Error" });

const SECURITY: Readonly<Record<Key, readonly Json[]>> = {
  secret: [{ secret: [] }],
  either: [{ secret: [] }, { publishable: [] }],
  control: [{ control: [] }],
  none: [],
};

/** The OpenAPI 3.1 document of the product API and the control API, generated from the tables of their routes. */
export function openApi(front: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const api of Object.keys(APIS) as Api[]) {
    const { base, key, routes } = APIS[api];
    for (const [route, definition] of Object.entries<RouteDefinition>(routes)) {
      const [method = "", path = ""] = route.split(" ");
      const address = base + path.replaceAll(/:(\w+)/g, "{$1}");
      paths[address] = {
        ...paths[address],
        [method.toLowerCase()]: operationOf(api, route, { key, ...definition }),
      };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: VERSION,
      description:
        "The product API of the identity proxy, and under /__svc/v1 the control API of a development server.",
    },
    servers: [{ url: front }] as const,
    tags: Object.keys(APIS).map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: schemaOf(ErrorBody, "output") },
      securitySchemes: {
        control: { type: "http", scheme: "bearer", description: "ctl_… of the server, or dsh_… of a dashboard" },
        secret: { type: "apiKey", in: "header", name: SECRET_KEY_HEADER },
        publishable: { type: "apiKey", in: "header", name: PUBLISHABLE_KEY_HEADER },
      },
    },
  };
}

function operationOf(api: Api, route: string, definition: RouteDefinition & { readonly key: Key }) {
  const { base } = APIS[api];
  const [method = "", path = ""] = route.split(" ");
  const { does, key, params, query, body, isBodyOptional = false, answer, status = 200 } = definition;
  const errors = api === "product" ? productErrors(definition) : Object.entries(CONTROL_ERRORS);
  const failures = [...errors].map(([code, description]) => [code, { description, content: ERROR }]);
  const responses: Readonly<Record<string, Response>> = {
    ...(answer ? { [status]: success(answer) } : { 302: { description: "Redirect" } }),
    ...Object.fromEntries(failures),
  };
  return {
    operationId: operationId(method, base + path),
    tags: [api],
    summary: does,
    security: SECURITY[key],
    parameters: [...pathParameters(path, params), ...queryParameters(query)],
    ...(body && { requestBody: { required: !isBodyOptional, content: contentOf(schemaOf(body, "input")) } }),
    responses,
  };
}

/** The statuses of the errors of a route of the product API, with their sentences. */
export function productErrors({ errors = [] }: RouteDefinition): Map<number, string> {
  const statuses = new Map<number, string>();
  for (const code of [...errors, ...PRODUCT_ERRORS]) {
    const { status, error } = ERRORS[code];
    statuses.set(status, [statuses.get(status), error].filter(Boolean).join("; "));
  }
  return statuses;
}

function operationId(method: string, address: string): string {
  const words = address.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "svc" && word !== "v1");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

function pathParameters(path: string, params: z.ZodMiniType | undefined): Parameter[] {
  const { properties = {} } = params ? schemaOf(params, "input") : {};
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: properties[name] ?? { type: "string" },
  }));
}

function queryParameters(query: z.ZodMiniType | undefined): Parameter[] {
  const { properties = {}, required = [] } = query ? schemaOf(query, "input") : {};
  return Object.entries(properties)
    .filter(([, { not }]) => not === undefined)
    .map(([name, { description, ...schema }]) => ({
      name,
      in: "query",
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    }));
}

function success(answer: z.ZodMiniType): Response {
  return { description: "Success", content: contentOf(schemaOf(answer, "output")) };
}

function contentOf(schema: JsonSchema): Content {
  return { "application/json": { schema } };
}

function schemaOf(schema: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
}
