/** The options of other programs, and what to use here. */
export const MISSING_OPTIONS: readonly (readonly [words: string, instead: string])[] = [
  ["-o|--format", "Use --output json, --output csv, or --fields id for ids alone."],
  ["--jq", "Use --fields."],
  [
    "--context|-A|--all-instances|--all-tenants|--all-namespaces",
    "Each command is for one instance. Use --instance for a local server, or --profile.",
  ],
  ["--output-file|-O", "A list goes to standard output: --output csv > <file>"],
  ["--quiet|--no-headers", "In a pipe a list has no header. For ids alone: --fields id."],
  ["--watch|-w", "To follow what happens: svc logs -f."],
  ["--level|--status|--type", "Use --failed."],
  ["-X|--method|--request", "Write the method before the path: svc api GET /api/v1/users."],
  ["--detach|--daemon|--background", "Use &, or svc exec -- <command>, which has a server for one command."],
  ["-f", "Use --file <file>, or --yes."],
  [
    "--all|--page|--per-page|--after|--sort|--sort-by|--order|--order-by|--top",
    "Lists are complete unless you pass --limit. To sort: --output tsv | sort.",
  ],
  ["--verbose|--debug|-v", "Set SVC_LOG=debug, which logs each request. The version: svc --version."],
  ["--key-file|--secret-key-file", "Set SVC_SECRET_KEY_FILE to the file's name."],
  [
    "--key|--token|--secret|--api-key|--with-token",
    "Set SVC_SECRET_KEY, or store the key with: svc login. Tokens: svc tokens verify - < token.txt.",
  ],
];

/** The options of other programs as they are here; behind them the only values that they are taken with. */
export const RESPELLED: readonly (readonly [words: string, here: string, values?: RegExp])[] = [
  ["-o|--format", "--output <value>"],
  ["--csv", "--output csv"],
  ["--ids", "--fields id"],
  ["--json", "--json --fields <value>", /^(?:[a-z_]+,[a-z_,]+|id|email|name)$/],
  ["--columns|--column|--select", "--fields <value>"],
  ["--domain", "--email-domain <value>"],
  ["--email|--user|--id", "<value>"],
  ["--email", "email:<value>", /@/],
  ["--id", "id:<value>"],
  ["--domain|--email-domain", "email:*@<value>", /^[\w.-]+$/],
  ["--provider", "provider:<value>", /^\w+$/],
  ["--since|--created-after", "created_at>=<value>", /^\d{4}-\d\d-\d\d$/],
  ["--name", "name:*<value>*", /^[\w.'-]+$/],
  ["--unverified", "email_verified_at:null"],
  ["--verified", "-email_verified_at:null"],
  ["--revoked", "-revoked_at:null"],
  ["--created-after", "--since <value>"],
  ["--created-before", "--until <value>"],
  ["-n|--tail|--lines|--last|--per-page", "--limit <value>", /^\d+$/],
  ["-n|-a|-i|--namespace|--tenant|--org|--organization|--project|--app", "--instance <value>"],
  ["--env|--environment", "--profile <value>"],
  ["--server|--url|--host", "--base-url <value>"],
  ["--port", "--base-url http://localhost:<value>", /^\d+$/],
  ["--older-than|--age", "--before <value>"],
  ["-p", "--port <value>", /^\d+$/],
  ["-p", "--profile <value>"],
  ["-u|--email|--name", "--user <value>"],
  ["--email|--user|--id", "--as <value>"],
  ["--force|--confirm", "--yes"],
  ["--errors", "--failed"],
];

/** What to say of an option at one command. */
export const INSTEAD: readonly (readonly [commands: RegExp, options: RegExp, instead: string])[] = [
  [/^users delete$/, /^--all$/, "Name them: ids, --file or --query."],
  [/^users delete$/, /^--(?:fields|columns?)$/, "Preview with: svc users search <term> --fields <field>."],
  [
    /^users delete$/,
    /^--(?:since|until|created-\w+|name|email)$/,
    "Find them with svc users search, and add: --fields id | svc users delete - --dry-run",
  ],
  [
    /^logs$/,
    /^--(?:filter|query|where|search|provider|ip|email-domain)$/,
    "It takes --user, --failed, --flow and --since.",
  ],
  [/^tokens /, /^--(?:file|token-file)$/, "Use: svc tokens verify - < <file>"],
];
