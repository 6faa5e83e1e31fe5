import { keyedClientOptions, type GlobalFlags } from "../../connection/client-options.ts";
import { readStdin, type Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { withHelp } from "../../help/with-help.ts";
import { colors, harmless, printJson, printRecord } from "../../output/text.ts";
import type { Program } from "../../program.ts";
import { decode, verifyLocally, verifyRemotely, type Verdict } from "./verdict.ts";
import { ago } from "./why.ts";
import { openClient } from "../../connection/client.ts";

interface VerifyFlags {
  readonly quiet?: boolean;
  readonly local?: boolean;
  readonly remote?: boolean;
  readonly both?: boolean;
}

export function addTokens(program: Program, context: Context): void {
  const tokens = program.command("tokens");

  const verify = tokens
    .command("verify [token]")
    .summary("ask whether a token is valid")
    .description("ask whether a token is valid; - or nothing reads it from standard input")
    .option("--remote", "ask the service, which knows of deleted users; the default")
    .option("--local", "check it with the secret key alone; no request is made")
    .option("--both", "do both; valid is what both say is valid")
    .option("-q, --quiet", "print nothing: the exit code says it");
  withHelp(verify, {
    examples: [
      ['echo "$TOKEN" | svc tokens verify', "whose it is, or why it is not valid"],
      ["svc tokens verify -q - < token.txt && ./deploy", "by the exit code alone"],
      ['echo "$TOKEN" | svc tokens verify --local', "without a request"],
    ],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.tokenInvalid, EXIT.unreachable],
    notes: `3 says that the token is good and its user is deleted, which only the service
knows. A token in an argument stays in your shell's history: whoever reads it
there is signed in until it expires.`,
  }).action(async (argument: string | undefined, own: VerifyFlags) => {
    const flags = program.opts<GlobalFlags>();
    if ([own.local, own.remote, own.both].filter(Boolean).length > 1)
      throw new CliError(EXIT.usage, "--local, --remote and --both are three ways.", "Choose one of them.");
    const token = await readToken(context, argument, own.quiet === true || flags.json === true);
    const now = context.now();
    const local = own.local || own.both ? await verifyLocally(await localKey(context, flags), token, now) : undefined;
    const remote = own.local ? undefined : await verifyRemotely(await openClient(context, flags), token, now);
    const verdict = [remote, local].find((one) => one?.valid === false) ?? remote ?? local!;
    program.exitCode = verdict.valid ? EXIT.done : verdict.exitCode;
    if (flags.json)
      printJson(context, own.both ? bothJson(local!, remote!) : remote ? remoteJson(remote) : localJson(local!));
    else if (!own.quiet) print(context, verdict, [local && ["local", local], remote && ["remote", remote]]);
  });

  withHelp(
    tokens
      .command("decode [token]")
      .description("print what a token says, without asking whether it is true")
      .option("--header", "print its header as well"),
    {
      examples: [['echo "$TOKEN" | svc tokens decode', "its claims, with times in words"]],
      exits: [EXIT.done, EXIT.usage],
    },
  ).action(async (argument: string | undefined, { header }: { header?: boolean }) => {
    const { json } = program.opts<GlobalFlags>();
    const token = await readToken(context, argument, json === true);
    const decoded = await decode(token);
    if (!decoded)
      throw new CliError(
        EXIT.usage,
        "This is no token: it can't be decoded.",
        "A token is three parts with dots between.",
      );
    if (json) return printJson(context, { verified: false, ...decoded });
    context.stderr.write("Not verified: anybody can write such a token.\n");
    printRecord(context, { ...(header && texts(decoded.header, context)), ...texts(decoded.claims, context) });
  });
}

async function readToken(context: Context, argument: string | undefined, isSilent: boolean): Promise<string> {
  const isPiped = argument === undefined || argument === "-";
  if (argument === undefined && context.stdin.isTTY)
    throw new CliError(EXIT.usage, "Which token?", 'Pipe it in: echo "$TOKEN" | svc tokens verify -');
  if (!isPiped && context.stderr.isTTY && !isSilent)
    context.stderr.write("! A token in an argument stays in your shell's history. Pipe it in the next time.\n");
  const token = (isPiped ? await readStdin(context) : argument).trim().replace(/^Bearer +/i, "");
  if (token === "") throw new CliError(EXIT.usage, "There was no token on standard input.");
  return token;
}

/** A key in the environment needs no service to verify with. */
async function localKey(context: Context, flags: GlobalFlags & { profile?: string }): Promise<string> {
  const isChosen = flags.instance !== undefined || flags.baseUrl !== undefined || flags.profile !== undefined;
  const own = isChosen ? undefined : context.env["SVC_SECRET_KEY"];
  const key = own || (await keyedClientOptions(context, flags)).secretKey!;
  if (!/^sk_[\x21-\x7e]{29,}$/.test(key))
    throw new CliError(EXIT.noKey, "The secret key can't be one: it begins with sk_ and is 32 characters or longer.");
  return key;
}

function print(
  context: Context,
  verdict: Verdict,
  verdicts: readonly (readonly [how: string, verdict: Verdict] | undefined)[],
): void {
  const several = verdicts.filter((entry) => entry !== undefined);
  const isSplit = new Set(several.map(([, { valid }]) => valid)).size > 1;
  if (verdict.valid) return printRecord(context, record(verdict, context));
  const chalk = colors(context.stderr, context);
  context.stderr.write(`${chalk.red("✗")} ${harmless(verdict.error)}\n`);
  if (verdict.why !== undefined) context.stderr.write(`  ${harmless(verdict.why)}\n`);
  if (isSplit)
    context.stderr.write(
      `  ${several.map(([how, { valid }]) => `${how}: ${valid ? "valid" : "not valid"}`).join(", ")}\n`,
    );
}

function record({ claims, answer }: Verdict & { valid: true }, context: Context): Record<string, string> {
  const { email, name, provider, avatar_url } = answer?.data ?? claims;
  return {
    valid: "yes",
    user_id: answer?.id ?? String(claims.sub),
    email: String(email),
    name: String(name),
    provider: String(provider),
    avatar_url: String(avatar_url),
    expires_at: time(claims.exp, context),
  };
}

/** The API's body, unchanged. */
function remoteJson(verdict: Verdict): unknown {
  return verdict.valid ? verdict.answer : { valid: false, error: verdict.error };
}

function localJson(verdict: Verdict): unknown {
  if (verdict.valid) return { valid: true, claims: verdict.claims };
  const { code, error, why } = verdict;
  return { valid: false, code, error, why };
}

function bothJson(local: Verdict, remote: Verdict): unknown {
  return { valid: local.valid && remote.valid, local: localJson(local), remote: remoteJson(remote) };
}

function texts(values: object, context: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === "iat" || name === "exp" || name === "nbf"
        ? time(value, context)
        : typeof value === "string"
          ? value
          : JSON.stringify(value),
    ]),
  );
}

/** In words for a person, and as RFC 3339 for a program. */
function time(seconds: unknown, { stdout, now }: Context): string {
  const date = typeof seconds === "number" ? new Date(seconds * 1000) : new Date(NaN);
  if (Number.isNaN(date.getTime())) return JSON.stringify(seconds) ?? "";
  return stdout.isTTY ? ago(seconds, now()) : date.toISOString();
}
