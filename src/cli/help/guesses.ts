import { PROVIDERS } from "../../wire/providers.ts";

/** What names one of something: people type the others for all of it. */
const NAME = /^(?!(?:all|list|ls|show)$)[a-z][\w.-]*$/i;
const ANY = /^(?!(?:all|list|ls|show)$)./;
const REVOKE = "svc dev sessions revoke <session_id>, which needs the control API";
const AUDIT =
  "Who created, changed or deleted what is in the output of svc serve alone, in the lines with audit. Sign-ins:";
const SIGN_OUT = "svc dev sessions revoke --user <user>, which needs the control API";

/**
 * What to use instead of commands that people look for and that do not exist, or a sentence where nothing does the same. Other
 * words for a command are its aliases, and commander finds spelling mistakes.
 */
export const MISSING_COMMANDS: readonly (readonly [words: string, instead: string])[] = [
  [
    "users block|unblock|ban|disable|deactivate|suspend|lock",
    `Users can't be blocked. To revoke all sessions: ${SIGN_OUT}.`,
  ],
  ["users sessions|accounts|identities|link", "Use: svc users get <user> --all."],
  [
    "users role|roles|add-role|set-role|permissions|groups|orgs",
    "Users have no roles or groups here: keep them in your application.",
  ],
  ["users merge", "Users can't be merged. To see both: svc users get <users>."],
  ["users set|modify|rename", "Use: svc dev users update <user> --name <name>, --email <address> or --verified."],
  ["users verify|verify-email", "Use: svc dev users update <user> --verified."],
  ["users token|tokens", "Use: svc dev token --user <user>."],
  ["users impersonate|login|signin|sign-in", "Use: svc sign-in --as <user>."],
  ["users password|passwd|reset-password|mfa|2fa", "Users sign in through a provider, and have no password here."],
  ["users restore|undelete|undo", "A deletion can't be undone. To go back to a backup: svc store import <backup>."],
  ["users count", "Of those that a search finds: svc users search <term> --count. Of all: svc users list --count."],
  [
    "users export|download|dump|data",
    "Of one: svc users get <user> --all --json. Of all: svc users list --output csv.",
  ],
  ["users import", "Use: svc dev seed <file>."],
  ["users bulk-delete", "Use: svc users delete --file <file>."],
  ["users logs|log|events|activity", "Use: svc logs --user <user>."],
  ["users history|audit", `${AUDIT} svc logs --user <user>.`],
  ["users logout|signout|sign-out|revoke|revoke-sessions", `To revoke all sessions: ${SIGN_OUT}.`],
  [
    "sessions revoke|end|kill|delete|logout|terminate|invalidate",
    `Use: ${REVOKE}; all of one user: --user <user>. To delete old ones: svc sessions prune --before 90d.`,
  ],
  [
    "sessions purge|clean|cleanup|clear|expire|gc",
    `Of one user: ${SIGN_OUT}. Of all users: svc sessions prune --before 90d --dry-run.`,
  ],
  ["sessions count", "Use: svc sessions list --count."],
  ["tokens revoke", `Tokens can't be revoked: each expires an hour after it was issued. To end a session: ${REVOKE}.`],
  ["tokens check|validate|inspect|introspect", "Use: svc tokens verify - < token.txt."],
  ["tokens create|issue|new", "Use: svc dev token --user <user>."],
  ["tokens list|ls", "Tokens are not stored. Use: svc sessions list."],
  ["auth token|print-access-token", "Use: svc sign-in --as <user> --token, or svc dev token --user <user>."],
  ["print-access-token", "Use: svc sign-in --as <user> --token, or svc dev token --user <user>."],
  ["revoke|signout|sign-out|kick", `To revoke all sessions: ${SIGN_OUT}.`],
  [
    "key|keys|secret|secrets|variable|variables|api-keys|apikeys|rotate|rotate-key|rotate-keys",
    "Use: svc env, which prints the keys of the local server. To replace them: svc dev keys rotate.",
  ],
  ["dashboard|ui|web|console|browse", "Use: svc open dashboard."],
  ["auth", "Use: svc login, svc logout or svc whoami."],
  [
    "use|switch|connect|config|configure|context|contexts",
    "Use: svc profiles use <name>, or --profile or --instance for one command.",
  ],
  ["status|current|target|me|who|info|ping|health|diagnose", "Use: svc whoami, or svc doctor to find what is wrong."],
  ["check", "Use: svc doctor, or svc store check."],
  ["view|describe|lookup", "Name what: svc users get <user>, svc sessions get <session_id>."],
  ["del|delete|remove|rm|destroy|erase|purge", "Name what: svc users delete <user>, svc sessions prune --before 90d."],
  ["gdpr|privacy", "One person's data: svc users get <user> --all --json. To delete it: svc users delete <user>."],
  ["backup|backups|dump|export", "Use: svc store export. A list of users: svc users list --output csv."],
  ["restore", "Use: svc store import <backup>, or svc dev snapshot restore <name>."],
  ["import", "Use: svc store import <backup>, or svc dev seed <file>."],
  ["login list|use", "Use: svc profiles list, or svc profiles use <name>."],
  ["auth export|import", "Use: svc store export, svc store import, or svc users list --output csv."],
  ["db|database", "Use: svc store export, svc store import, svc dev seed or svc dev reset."],
  ["count", "Use: svc users list --count, or svc sessions list --count."],
  ["select", "Use: svc users search <term>, or svc users list."],
  ["docs|man|explain|resources|api-resources|manual", "Use: svc help, or svc help <command>."],
  [
    "start|run|emulators|emulator|up|kill|stop|down|restart|test|with",
    "Use: svc serve, and Ctrl-C to stop it; or svc exec -- <command>.",
  ],
  ["new|create", "Use: svc init, or svc dev users create <email>."],
  [
    "list|search|get|find|show|ls",
    "Name what: svc users search --name <text>, svc users get <user>, svc sessions list.",
  ],
  ["verify|decode|whose", "Use: svc tokens verify - < token.txt, or svc tokens decode - < token.txt."],
  ["version", "Use: svc --version."],
  ["update|upgrade|self-update", "Use: npm install svc-identity@latest."],
  ["servers|server|ps", "Use: svc whoami. In another directory svc users list names the servers of this machine."],
  ["instances use|switch", "Use --instance for one command, or SVC_INSTANCE for a shell."],
  ["instances rotate|rotate-key|rotate-keys", "Use: svc dev keys rotate --instance <name>."],
  ["instances key|keys|secret|env", "Use: svc env --instance <name>, which prints them."],
  [
    "instances rename",
    "Use: svc dev instances update <instance> --name <name>, or --subdomain <subdomain>, which changes its address.",
  ],
  ["instances get|show|view|describe|info|current", "Use: svc instances list, or svc whoami."],
  ["profiles add|create|new", "Use: svc login --profile <name>."],
  ["profiles delete|remove|rm", "Use: svc logout --forget --profile <name>."],
  ["profiles current|show|get", "Use: svc whoami."],
  ["serve stop|kill|down|restart|status", "Ctrl-C in its terminal stops it. What runs here: svc whoami."],
  ["store restore|load", "Use: svc store import <backup>."],
  ["store backup|dump", "Use: svc store export."],
  ["store status|info|ls|list|show", "Use: svc store check."],
  ["dev start|serve|up", "Use: svc serve."],
  ["dev snapshot create|new|make|take", "Use: svc dev snapshot save <name>."],
  ["dev snapshot load|apply", "Use: svc dev snapshot restore <name>."],
  ["dev users delete|remove|rm", "Use: svc users delete <user>."],
  ["dev keys list|show|get", "Use: svc env, which prints them."],
  ["dev undo", "Use: svc dev snapshot restore previous."],
  [
    "undo|rollback|revert|undelete",
    "Of a reset, a restore or a prune: svc dev snapshot restore previous. To go back to a backup: svc store import <backup>.",
  ],
  ["apply", "Use: svc dev seed <file>."],
  ["logs tail|stream|watch|follow", "Use: svc logs -f."],
  ["env list|ls|show|set|pull|push|get", "Use: svc env, which prints them."],
  ["logs list|ls|show", "Use: svc logs."],
  ["time|test-clock", "Use: svc dev clock."],
  ["impersonate|simulate|signup|register|signin", "Use: svc sign-in --as <user>."],
  ["stats|metrics|top", "Use: svc users list --count, or svc sessions list --count."],
  ["providers|connections", "svc serve names its providers, and svc.config.json chooses them."],
  ["webhook|webhooks|trigger", "There are no webhooks. To follow what happens: svc logs -f."],
  ["audit|history|events", `${AUDIT} svc logs.`],
  ["tail|watch|listen|logins|sign-ins|signins|failed-logins", "Use: svc logs, svc logs --failed or svc logs -f."],
  ["request|curl|raw|graphql", "Use: svc api GET /api/v1/users."],
];

/** What other programs call the nouns here, and what is done with them. */
export const SYNONYMS: readonly (readonly [words: string, here: string])[] = [
  ["orgs|org|organizations|tenants|tenant|apps|app|applications|projects|project|namespaces", "instances"],
  ["jwt", "tokens"],
  ["customers|members|people|accounts", "users"],
  ["snapshots", "snapshot"],
  ["view|describe|info|inspect|retrieve", "get"],
  ["del|remove|destroy|erase|purge|drop", "delete"],
  ["new", "create"],
  ["edit|patch", "update"],
  ["query|where|filter|lookup", "search"],
];

/** What people give as an argument, and the flag that takes it here. */
export const TAKEN_OTHERWISE: readonly (readonly [commands: RegExp, words: RegExp, instead: string])[] = [
  [/^logout$/, /@/, "Use: svc dev sessions revoke --user <word>, which needs the control API."],
  [/^login$/, /@/, "To sign a user in: svc sign-in --as <word>"],
  [/^login$/, /:\/\//, "Use: svc login --base-url <word>"],
  [/^(?:login|logout|whoami)$/, NAME, "Use: svc <path> --profile <word>"],
  [/^logs$/, /^[0-9a-f]{8,}$/, "Use: svc logs --flow <word>"],
  [/^logs$/, NAME, "Use: svc logs --user <word>, or --instance <word>"],
  [/^logs$/, ANY, "Use: svc logs --user <word>"],
  [/^(?:env|dev keys rotate|dev reset)$/, NAME, "Use: svc <path> --instance <word>"],
  [/^sign-in$/, new RegExp(`^(?:${PROVIDERS.join("|")})$`), "Use: svc sign-in --provider <word>"],
  [/^sign-in$/, ANY, "Use: svc sign-in --as <word>"],
  [/^dev token$/, ANY, "Use: svc dev token --user <word>"],
  [/^init$/, NAME, "Use: svc init --name <word>"],
  [/^store (?:check|migrate)$/, ANY, "Use: svc <path> --store <word>"],
  [/^store export$/, ANY, "Use: svc store export --output-file <word>"],
  [/^api$/, /./, "Write the method before the path: svc api GET /api/v1/users."],
];

/** The row of which one of the words, in the place of the last, is the key. */
export function rowFor(rows: typeof MISSING_COMMANDS, key: string): string | undefined {
  return rows.find(([words]) => {
    const before = words.split(" ");
    const last = before.pop() ?? "";
    return last.split("|").some((word) => [...before, word].join(" ") === key);
  })?.[1];
}
