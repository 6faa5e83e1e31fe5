import type { AnswerOf } from "../../../wire/control/types.ts";
import type { Listed } from "../../list/columns.ts";
import { countedAmong } from "../../output/text.ts";

type Instance = AnswerOf<"GET /instances">[number];
type Scenario = AnswerOf<"GET /scenarios">[number];
type Outcome = AnswerOf<"GET /outcomes">[number];
type Snapshot = AnswerOf<"GET /snapshots">[number];
type Token = AnswerOf<"POST /tokens">;

export const SCENARIO_COLUMNS: Listed<Scenario> = {
  id: "id",
  columns: [
    { name: "id", title: "ID", whole: true, value: ({ id }) => id },
    { name: "outcome", title: "OUTCOME", whole: true, value: ({ data }) => data.outcome },
    { name: "as", title: "AS", value: ({ data }) => data.as },
    {
      name: "match",
      title: "FOR",
      value: ({ data }) =>
        Object.entries(data.match)
          .map(([name, value]) => `${name}=${value}`)
          .join(" ") || "every sign-in",
    },
    { name: "remaining", title: "LEFT", value: ({ data }) => (data.remaining === null ? "∞" : `${data.remaining}`) },
    { name: "used", title: "USED", isSpare: true, value: ({ data }) => `${data.used}` },
    { name: "delay_ms", value: ({ data }) => `${data.delay_ms}` },
    { name: "label", title: "LABEL", isSpare: true, value: ({ data }) => data.label },
    { name: "created_at", isTime: true, value: ({ data }) => data.created_at },
  ],
};

export const INSTANCE_COLUMNS: Listed<Instance> = {
  id: "id",
  columns: [
    { name: "subdomain", title: "SUBDOMAIN", whole: true, value: ({ data }) => data.subdomain },
    { name: "name", title: "NAME", value: ({ data }) => data.name },
    { name: "url", title: "ADDRESS", isSpare: true, value: ({ data }) => data.url },
    { name: "active", title: "ACTIVE", isSpare: true, words: ["yes", "no"], value: ({ data }) => data.active },
    { name: "default_provider", value: ({ data }) => data.default_provider },
    { name: "redirect_uris", value: ({ data }) => data.redirect_uris },
    { name: "preview", words: ["yes", "no"], value: ({ data }) => data.preview },
    { name: "publishable_key", value: ({ data }) => data.publishable_key },
    { name: "id", title: "ID", whole: true, isId: true, value: ({ id }) => id },
  ],
};

export const OUTCOME_COLUMNS: Listed<Outcome> = {
  id: "id",
  columns: [
    { name: "id", title: "OUTCOME", whole: true, value: ({ id }) => id },
    { name: "title", title: "WHAT HAPPENS", value: ({ title }) => title },
    { name: "application_sees", title: "THE APPLICATION SEES", value: ({ application_sees }) => application_sees },
    { name: "providers", value: ({ providers }) => providers },
    { name: "description", value: ({ description }) => description },
  ],
};

export const TOKEN_COLUMNS: Listed<Token> = {
  id: "token",
  columns: [
    { name: "kind", title: "KIND", whole: true, value: ({ kind }) => kind },
    { name: "status", title: "STATUS", whole: true, value: ({ expect }) => `${expect.status}` },
    { name: "error", title: "VERIFY SAYS", value: ({ expect }) => expect.error },
    { name: "token", title: "TOKEN", value: ({ token }) => token },
  ],
};

export const SNAPSHOT_COLUMNS: Listed<Snapshot> = {
  id: "name",
  columns: [
    { name: "name", title: "NAME", whole: true, value: ({ data }) => data.name },
    { name: "created_at", title: "SAVED", isTime: true, value: ({ data }) => data.created_at },
    {
      name: "records",
      title: "RECORDS",
      value: ({ data }) =>
        Object.entries(data.records)
          .map(([kind, count]) => countedAmong(count, kind))
          .join(", "),
    },
  ],
};
