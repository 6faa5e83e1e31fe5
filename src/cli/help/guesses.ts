import { quoted } from "../output/text.ts";

const REVOKE = "svc dev sessions revoke <session_id>, which needs the control API";
const SIGN_OUT = "svc dev sessions revoke --user <user>, which needs the control API";

/**
 * What to use instead of commands that people look for and that do not exist, or a sentence where nothing does the same. Other
 * words for a command are its aliases, and commander finds spelling mistakes.
 */
export const MISSING_COMMANDS: readonly (readonly [words: string, instead: string])[] = [
  ["users block|ban|disable|suspend|lock", `Users can't be blocked. To end a session: ${REVOKE}.`],
  ["users view|describe", "Use: svc users get <user>."],
  ["users info|sessions|accounts", "Use: svc users get <user> --all."],
  ["users remove|erase|destroy|purge|del", "Use: svc users delete <user>."],
  ["users merge", "Users can't be merged. To see both: svc users get <user> <user>."],
  ["users restore|undelete|undo", "A deletion can't be undone. To go back to a backup: svc store import <backup>."],
  [
    "users create|add|new|update|edit",
    "Use: svc dev users create, or svc dev users update; both need the control API.",
  ],
  ["users count", "Use: svc users list --count, or svc users search <term> --count."],
  ["users export|download", "Of one: svc users get <user> --all --json. Of all: svc users list --output csv."],
  ["users logout|sign-out|revoke", `To revoke all sessions: ${SIGN_OUT}.`],
  [
    "sessions revoke|end|kill|delete|logout",
    `Use: ${REVOKE}; all of one user: --user <user>. To delete old ones: svc sessions prune --before 90d.`,
  ],
  ["sessions view|describe", "Use: svc sessions get <session_id>."],
  ["sessions purge|clean|expire", "Use: svc sessions prune --before 90d --dry-run."],
  ["sessions count", "Use: svc sessions list --count."],
  ["tokens revoke", `Tokens can't be revoked: each expires an hour after it was issued. To end a session: ${REVOKE}.`],
  ["tokens check|validate", "Use: svc tokens verify - < token.txt."],
  ["tokens create|issue|new", "Use: svc dev token --user <user>."],
  ["key|keys", "Use: svc env, which prints the keys of the local server. To replace them: svc dev keys rotate."],
  ["dashboard|ui|web", "Use: svc open dashboard."],
  ["auth", "Use: svc login, svc logout or svc whoami."],
  ["use|switch|config|context", "Use: svc profiles use <name>, or --profile or --instance for one command."],
  ["status|current|me|info", "Use: svc whoami, or svc doctor to find what is wrong."],
  ["orgs|org|tenants|tenant|apps|applications|projects", "Use: svc instances list."],
  ["view|describe", "Name what: svc users get <user>, svc sessions get <session_id>."],
  ["del|delete|remove|rm|destroy|purge", "Name what: svc users delete <user>, svc sessions prune --before 90d."],
  ["backup|dump|export", "Use: svc store export. A list of users: svc users list --output csv."],
  ["restore", "Use: svc store import <backup>, or svc dev snapshot restore <name>."],
  ["docs|manual", "Use: svc help, or svc help <command>."],
  ["start|run|up|stop", "Use: svc serve, and Ctrl-C to stop it; or svc exec -- <command>."],
  [
    "list|search|get|find|show|ls",
    "Name what: svc users search --name <text>, svc users get <user>, svc sessions list.",
  ],
  ["verify|decode|whose|jwt", "Use: svc tokens verify - < token.txt, or svc tokens decode - < token.txt."],
  ["version", "Use: svc --version."],
  ["servers|ps", "Use: svc whoami. In another directory svc users list names the servers of this machine."],
  ["instances use|switch", "Use --instance for one command, or SVC_INSTANCE for a shell."],
  ["snapshot|snapshots|reset|seed|clock", "It is a command of svc dev: svc help dev."],
  ["dev undo", "Use: svc dev snapshot restore previous."],
  ["audit|history|tail|watch", "Use: svc logs, or svc logs -f."],
];

/** The options of other programs, and what to use here. */
export const MISSING_OPTIONS: readonly (readonly [words: string, instead: string])[] = [
  ["-o|--format|--csv|--ids", "Use --output json, --output csv, or --fields id for ids alone."],
  ["--columns|--column|--select|--jq", "Use --fields."],
  ["--domain", "Use --email-domain."],
  ["-p", "No short option takes a value. Use --port or --profile."],
  ["-n|--tail|--lines", "Use --limit."],
  ["--server|--url|--host", "Use --base-url."],
  ["--env|--environment", "Use --profile."],
  ["--tenant|--org|--organization|--context|--project", "Use --instance for a local server, or --profile."],
  ["--filter|--where|--search", "Use: svc users search <term>, or svc sessions search <term>."],
  ["--last", "Use --since 7d, or --limit."],
  ["--force|--confirm", "Use --yes."],
  ["--all|--page|--after|--sort|--top", "Lists are complete unless you pass --limit. To sort: --output tsv | sort."],
  ["--verified", "Use: -email_verified_at:null."],
  ["--revoked", "Use: svc sessions search -revoked_at:null."],
  ["--verbose|--debug|-v", "Set SVC_LOG=debug, which logs each request."],
  [
    "--key|--token|--secret",
    "Set SVC_SECRET_KEY, or store the key with: svc login. Tokens: svc tokens verify - < token.txt.",
  ],
];

/** What to use instead of a word that is no command. @param group the noun before it; empty for svc itself */
export function guessedCommand(group: string, word: string): string | undefined {
  if (word.startsWith("eyJ")) return "Use: svc tokens verify - < token.txt.";
  if (word.includes("@"))
    return group === "sessions"
      ? `Use: svc sessions search --user ${quoted(word)}`
      : `Use: svc users get ${quoted(word)}`;
  return rowFor(MISSING_COMMANDS, group === "" ? word : `${group} ${word}`);
}

/** The row of which one of the words, in the place of the last, is the key. */
export function rowFor(rows: typeof MISSING_COMMANDS, key: string): string | undefined {
  return rows.find(([words]) => {
    const [last = "", ...before] = words.split(" ").toReversed();
    return last.split("|").some((word) => [...before, word].join(" ") === key);
  })?.[1];
}
