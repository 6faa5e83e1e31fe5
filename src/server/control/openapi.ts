import * as z from "zod/mini";
import { CONTROL_API } from "../../wire/control/routes.ts";
import { ERRORS } from "../../wire/errors.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/ids.ts";
import { ErrorBody } from "../../wire/product/resources.ts";
import { PRODUCT_API } from "../../wire/product/routes.ts";
import type { Key, RouteDefinition } from "../../wire/route.ts";
import { VERSION } from "../../wire/version.ts";

type Json = Record<string, unknown>;
/** None of a route is just true or false. */
interface JsonSchema extends z.core.JSONSchema.BaseSchema {
  readonly properties?: Record<string, z.core.JSONSchema.BaseSchema>;
}
type Api = keyof typeof APIS;

const APIS = { product: PRODUCT_API, control: CONTROL_API };

const PRODUCT_ERRORS = ["bad_request", "not_found", "unknown_host", "internal", "storage_unavailable"] as const;

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
  const errors = api === "product" ? productErrors(definition) : [["default", "Error"] as const];
  const failures = [...errors].map(([code, description]) => [code, { description, content: ERROR }]);
  const responses = {
    ...(answer
      ? { [status]: { description: "Success", content: contentOf(schemaOf(answer, "output")) } }
      : { 302: { description: "Redirect" } }),
    ...(Object.fromEntries(failures) as object),
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

function pathParameters(path: string, params: z.ZodMiniType | undefined) {
  const { properties = {} } = params ? schemaOf(params, "input") : {};
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: properties[name] ?? { type: "string" },
  }));
}

function queryParameters(query: z.ZodMiniType | undefined) {
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

function contentOf(schema: JsonSchema) {
  return { "application/json": { schema } };
}

function schemaOf(schema: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
}
