import { Option, type Command } from "commander";
import { TOKEN_KINDS, type TokenKind } from "../../../wire/claims.ts";
import type { AnswerOf, BodyOf } from "../../../wire/control/types.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { collect, runs, type Flags } from "../../command.ts";
import { openControl } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import type { Listed } from "../../list/columns.ts";
import { printList } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { harmless, printJson } from "../../output/text.ts";
import { durationFrom, fieldsFrom } from "../../quantities.ts";

const TOKEN_COLUMNS: Listed<AnswerOf<"POST /tokens">> = {
  columns: [
    { name: "kind", title: "KIND" },
    { name: "status", title: "STATUS", value: ({ expect }) => `${expect.status}` },
    { name: "error", title: "VERIFY SAYS", value: ({ expect }) => expect.error },
    { name: "token", title: "TOKEN" },
  ],
};

export interface TokenOptions extends Flags<"user" | "expiresIn", "all"> {
  readonly kind?: TokenKind;
  readonly provider?: Provider | "email";
  readonly claim?: readonly string[];
  readonly omit?: string[];
}

export function addToken(dev: Command, context: Surroundings): void {
  const command = printsRows(dev.command("token"))
    .description("print a token, valid or wrong in one way")
    .option("--user <user>", "a user's id or e-mail address, or a persona's id; default: the newest user")
    .addOption(new Option("--kind <kind>", "valid, or what is wrong with it; default valid").choices(TOKEN_KINDS))
    .addOption(
      new Option("--provider <provider>", "the provider of the sign-in; default: one that the user has").choices([
        ...PROVIDERS,
        "email",
      ]),
    )
    .option("--expires-in <duration>", "until it expires, such as 10m: 1s to 1h; 0 or less with --kind expired")
    .option(
      "--claim <name=value>",
      "add or replace a claim; a value in JSON is taken as JSON; can be repeated",
      collect,
    )
    .option("--omit <claim>", "leave out a claim; can be repeated", collect)
    .addOption(new Option("--all", "one token of each kind").conflicts(["kind", "expiresIn"]));
  runs(command, context, { on: "instance" }, runToken, {
    examples: [
      ["svc dev token --user ada", "a valid token, such as for curl"],
      ["svc dev token --user ada --kind expired", "one that has expired"],
      ["svc dev token --claim role=admin --claim name=null --omit email", "with other claims"],
      ["svc dev token --all --json", "one of each kind, and what verifying it answers"],
    ],
    notes: "With a frozen clock and a seed that names its keys, the tokens are the same each time.",
  });
}

export async function runToken(context: Context, options: TokenOptions): Promise<void> {
  const control = await openControl(context);
  const { instance } = control;
  if (options.all) {
    const tokens: AnswerOf<"POST /tokens">[] = [];
    for (const kind of TOKEN_KINDS)
      tokens.push(await control.request("POST /tokens", { body: bodyOf(options, kind, instance) }));
    return printList(context, options, TOKEN_COLUMNS, tokens);
  }
  const token = await control.request("POST /tokens", { body: bodyOf(options, options.kind ?? "valid", instance) });
  if (options.json) return printJson(context, token);
  if (options.output !== undefined) return printList(context, options, TOKEN_COLUMNS, [token]);
  context.stdout.write(`${harmless(token.token)}\n`);
  const { status, error } = token.expect;
  const sentence = `Verifying it answers ${status}${error === null ? "." : `: ${error}.`}`;
  if (context.stdout.isTTY) context.stderr.write(`${harmless(sentence)}\n`);
}

function bodyOf(options: TokenOptions, kind: TokenKind, instance: string | undefined): BodyOf<"POST /tokens"> {
  const { user, provider, expiresIn, claim, omit } = options;
  return {
    kind,
    user,
    provider,
    instance,
    expires_in: expiresIn === undefined ? undefined : signedSeconds(expiresIn),
    claims: fieldsFrom("--claim", claim),
    omit,
  };
}

/** What is negative has expired that long ago. */
function signedSeconds(text: string): number {
  const isAgo = text.startsWith("-");
  const seconds = Math.round(durationFrom("--expires-in", isAgo ? text.slice(1) : text) / 1000);
  return isAgo ? -seconds : seconds;
}
