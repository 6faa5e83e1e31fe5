import { providerTitle } from "../providers.ts";
import type { AnswerOf } from "./types.ts";
import { stepInWords } from "./step-words.ts";

/** A sign-in as Markdown for an issue. Its texts are in a block of code, where nothing in them is Markdown. */
export function flowMarkdown({ id, data }: AnswerOf<"GET /flows">[number], instance: string): string {
  const lines = [
    `sign-in   ${id}, ${data.started_at}`,
    `with      ${providerTitle(data.provider ?? "?")}, instance ${instance || "?"}`,
    `account   ${data.as ?? "not chosen"}`,
    `result    ${data.result === "token" ? "signed in" : data.result === "open" ? "in progress" : (data.error ?? "failed")}`,
    ...(data.reason === null ? [] : [`reason    ${data.reason}`]),
    "",
    ...data.steps.flatMap((step) => [
      `${step.at.slice(11, 23)}  ${step.name.padEnd(10)}${stepInWords(step)}`,
      ...fields(">", step.sent),
      ...fields("<", step.answered),
      ...(step.reason === null ? [] : [`  failed here: ${step.reason}`]),
    ]),
  ].map((line) => line.replaceAll(/[\r\n\u2028\u2029]+/g, " "));
  const longest = Math.max(2, ...(lines.join("\n").match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${lines.join("\n")}\n${fence}\n`;
}

function fields(mark: string, message: AnswerOf<"GET /flows">[number]["data"]["steps"][number]["sent"]): string[] {
  return Object.entries(message ?? {}).map(([name, value]) => `  ${mark} ${name}: ${value}`);
}
