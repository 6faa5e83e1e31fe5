import type { AnswerOf } from "../../../wire/control/routes.ts";
import type { Listed } from "../../list/columns.ts";

type Instance = AnswerOf<"GET /instances">[number];
type User = AnswerOf<"GET /users/:id">;
type Session = AnswerOf<"GET /sessions/:session_id">;

export const INSTANCE_COLUMNS: Listed<Instance> = {
  noun: "instances",
  id: "id",
  columns: [
    { name: "subdomain", title: "SUBDOMAIN", whole: true, value: ({ data }) => data.subdomain },
    { name: "name", title: "NAME", value: ({ data }) => data.name },
    { name: "url", title: "ADDRESS", isSpare: true, value: ({ data }) => data.url },
    { name: "active", title: "ACTIVE", isSpare: true, words: ["yes", "no"], value: ({ data }) => data.active },
    { name: "default_provider", value: ({ data }) => data.default_provider },
    { name: "redirect_uris", value: ({ data }) => data.redirect_uris },
    { name: "publishable_key", value: ({ data }) => data.publishable_key },
    { name: "id", title: "ID", whole: true, isId: true, value: ({ id }) => id },
  ],
};

export const DEV_USER_COLUMNS: Listed<User> = {
  noun: "users",
  id: "id",
  columns: [
    { name: "id", title: "ID", whole: true, isId: true, value: ({ id }) => id },
    { name: "email", title: "EMAIL", value: ({ data }) => data.email },
    { name: "name", title: "NAME", value: ({ data }) => data.name },
    { name: "email_verified", title: "VERIFIED", words: ["yes", "no"], value: ({ data }) => data.email_verified },
    { name: "avatar_url", value: ({ data }) => data.avatar_url },
    { name: "providers", title: "PROVIDERS", isSpare: true, value: ({ data }) => data.providers },
    { name: "created_at", title: "CREATED", isTime: true, value: ({ data }) => data.created_at },
  ],
};

export const DEV_SESSION_COLUMNS: Listed<Session> = {
  noun: "sessions",
  id: "session_id",
  columns: [
    { name: "session_id", title: "SESSION", whole: true, isId: true, value: ({ data }) => data.session_id },
    { name: "email", title: "EMAIL", value: ({ data }) => data.email },
    { name: "active", title: "ACTIVE", words: ["yes", "revoked"], value: ({ data }) => data.active },
    { name: "revoked_at", title: "REVOKED", isTime: true, value: ({ data }) => data.revoked_at },
  ],
};
