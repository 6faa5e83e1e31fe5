import * as z from "zod/mini";
import { CONTROL_API } from "../../../wire/control/routes.ts";
import { ERRORS, type ErrorCode } from "../../../wire/errors.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../../wire/ids.ts";
import { ErrorBody } from "../../../wire/product/resources.ts";
import { PRODUCT_API } from "../../../wire/product/routes.ts";
import type { Key, RouteDefinition } from "../../../wire/route.ts";
import { VERSION } from "../../../wire/version.ts";
import { samplesOf } from "./samples.ts";

type Json = Record<string, unknown>;
type Api = keyof typeof APIS;

const APIS = { product: PRODUCT_API, control: CONTROL_API };

/** The errors that every route of the product API can return. */
const PRODUCT_ERRORS = ["bad_request", "not_found", "unknown_host", "internal", "storage_unavailable"] as const;
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

const SECURITY: Readonly<Record<Key, readonly Json[]>> = {
  secret: [{ secret: [] }],
  either: [{ secret: [] }, { publishable: [] }],
  control: [{ control: [] }],
  none: [],
};

/** The OpenAPI 3.1 document of the product API and the control API, generated from the tables of their routes. */
export function openApi(front: string): Json {
  const paths: Record<string, Json> = {};
  for (const api of Object.keys(APIS) as Api[]) {
    const { base, key, routes } = APIS[api];
    for (const [route, definition] of Object.entries<RouteDefinition>(routes)) {
      const [method = "", path = ""] = route.split(" ");
      const address = base + path.replaceAll(/:(\w+)/g, "{$1}");
      paths[address] = {
        ...paths[address],
        [method.toLowerCase()]: {
          operationId: operationId(method, address),
          ...operation(api, path, { key, ...definition }),
          "x-codeSamples": samplesOf(front, base, route, { key, ...definition }),
        },
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
    servers: [{ url: front }],
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

function operation(api: Api, path: string, definition: RouteDefinition & { readonly key: Key }): Json {
  const { does, key, params, query, body, isBodyOptional = false, answer, status = 200, accepted } = definition;
  const errors = api === "product" ? productErrors(definition) : Object.entries(CONTROL_ERRORS);
  const failures = [...errors].map(([code, description]) => [code, failure(description)]);
  return {
    tags: [api],
    summary: does,
    security: SECURITY[key],
    parameters: [...pathParameters(path, params), ...queryParameters(query)],
    ...(body && { requestBody: content(body, !isBodyOptional) }),
    responses: {
      ...(answer ? { [status]: success(answer) } : { 302: { description: "Redirect" } }),
      ...(accepted && { 202: success(accepted) }),
      ...Object.fromEntries(failures),
    },
  };
}

/** The statuses of the errors of a route of the product API, with their sentences. */
export function productErrors({ key, errors = [] }: RouteDefinition): Map<number, string> {
  const statuses = new Map<number, string>();
  const ofKey: ErrorCode[] = key === "none" ? [] : ["cross_origin"];
  for (const code of [...errors, ...ofKey, ...PRODUCT_ERRORS]) {
    const { status, error } = ERRORS[code];
    statuses.set(status, [statuses.get(status), error].filter(Boolean).join("; "));
  }
  return statuses;
}

function operationId(method: string, address: string): string {
  const words = address.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "svc" && word !== "v1");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function pathParameters(path: string, params: z.ZodMiniType | undefined): Json[] {
  const schemas = (params ? schemaOf(params, "input")["properties"] : {}) as Record<string, Json>;
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: schemas[name] ?? { type: "string" },
  }));
}

function queryParameters(query: z.ZodMiniType | undefined): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, "input");
  return Object.entries(properties as Record<string, Json>)
    .filter(([, { not }]) => not === undefined)
    .map(([name, { description, ...schema }]) => ({
      name,
      in: "query",
      required: (required as string[]).includes(name),
      ...(description !== undefined && { description }),
      schema,
    }));
}

function content(schema: z.ZodMiniType, required: boolean): Json {
  return { required, content: { "application/json": { schema: schemaOf(schema, "input") } } };
}

function success(answer: z.ZodMiniType): Json {
  return { description: "Success", content: { "application/json": { schema: schemaOf(answer, "output") } } };
}

function failure(description: string): Json {
  return { description, content: { "application/json": { schema: ERROR_SCHEMA } } };
}

function schemaOf(schema: z.ZodMiniType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
