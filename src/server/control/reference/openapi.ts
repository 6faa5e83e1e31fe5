import * as z from "zod";
import { CONTROL_BASE } from "../../../wire/control/paths.ts";
import { CONTROL_ROUTES, type ControlRouteDefinition } from "../../../wire/control/routes.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../../wire/names.ts";
import { errorsOf, PRODUCT_ROUTES, type ProductRoute } from "./product-routes.ts";
import { VERSION } from "../../../wire/version.ts";

type Json = Record<string, unknown>;

/** The errors that every route of the control API can return. */
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
const ERROR_SCHEMA: Json = { $ref: "#/components/schemas/Error" };

/** The OpenAPI 3.1 document of the product API and the control API, generated from the schemas that validate. */
export function openApi(front: string): Json {
  const paths: Record<string, Json> = {};
  const add = (route: string, base: string, operation: Json): void => {
    const [method = "", path = ""] = route.split(" ");
    const address = base + path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[address] ??= {})[method.toLowerCase()] = {
      operationId: operationId(method, address),
      ...operation,
      parameters: [...pathParameters(path), ...((operation["parameters"] as Json[] | undefined) ?? [])],
    };
  };
  for (const [route, definition] of Object.entries(PRODUCT_ROUTES)) add(route, "", productOperation(definition));
  for (const [route, definition] of Object.entries<ControlRouteDefinition>(CONTROL_ROUTES))
    add(route, CONTROL_BASE, controlOperation(definition));
  return {
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: VERSION,
      description:
        "The product API of the identity proxy, and under /__svc/v1 the control API of a development server.",
    },
    servers: [{ url: front }],
    tags: [{ name: "product" }, { name: "control" }],
    paths,
    components: {
      schemas: {
        Error: {
          type: "object",
          properties: { error: { type: "string" }, valid: { const: false } },
          required: ["error"],
        },
      },
      securitySchemes: {
        control: { type: "http", scheme: "bearer", description: "ctl_… of the server, or dsh_… of a dashboard" },
        secret: { type: "apiKey", in: "header", name: SECRET_KEY_HEADER },
        publishable: { type: "apiKey", in: "header", name: PUBLISHABLE_KEY_HEADER },
      },
    },
  };
}

function productOperation(route: ProductRoute): Json {
  const { does, key, query, body, answer } = route;
  const security = key === "either" ? [{ secret: [] }, { publishable: [] }] : key ? [{ secret: [] }] : [];
  const failures = [...errorsOf(route)].map(([status, description]) => [status, failure(description)]);
  return {
    tags: ["product"],
    summary: does,
    security,
    parameters: queryParameters(query),
    ...(body && { requestBody: content(body, true) }),
    responses: {
      ...(answer ? { 200: success(answer) } : { 302: { description: "Redirect" } }),
      ...Object.fromEntries(failures),
    },
  };
}

function controlOperation(definition: ControlRouteDefinition): Json {
  const { does, query, body, isBodyOptional = false, answer, status = 200, accepted, needsKey = true } = definition;
  const failures = Object.entries(CONTROL_ERRORS).map(([code, description]) => [code, failure(description)]);
  return {
    tags: ["control"],
    summary: does,
    security: needsKey ? [{ control: [] }] : [],
    parameters: queryParameters(query),
    ...(body && { requestBody: content(body, !isBodyOptional) }),
    responses: {
      [status]: success(answer),
      ...(accepted && { 202: success(accepted) }),
      ...Object.fromEntries(failures),
    },
  };
}

function operationId(method: string, address: string): string {
  const words = address.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "svc" && word !== "v1");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, "input");
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: (required as string[]).includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function content(schema: z.ZodType, required: boolean): Json {
  return { required, content: { "application/json": { schema: schemaOf(schema, "input") } } };
}

function success(answer: z.ZodType): Json {
  return { description: "Success", content: { "application/json": { schema: schemaOf(answer, "output") } } };
}

function failure(description: string): Json {
  return { description, content: { "application/json": { schema: ERROR_SCHEMA } } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
