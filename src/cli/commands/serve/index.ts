import { Option } from "commander";
import { LOG_LEVELS, PROVIDERS_MODES } from "../../../wire/serve.ts";
import { collect, runs, type GlobalFlags, type Program } from "../../command.ts";
import type { Context, Surroundings } from "../../context.ts";
import { YES_FLAG } from "../../connection/consent.ts";
import { CONFIG_OPTION, type ServeFlags } from "./options.ts";

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("serve")
    .option("--port <number>", "the port; default 7820, 0 takes a free one (SVC_PORT)")
    .option("--host <address>", "the address to listen on; default: loopback only (SVC_HOST)")
    .option("--store <path>", "a file, postgres://… or memory; default: one for this directory (SVC_STORE)")
    .option("--seed <file>", "the records of an empty store; default: a demo")
    .option("--reset", "delete all records and seed again")
    .option(...YES_FLAG)
    .option(...CONFIG_OPTION)
    .option("--strict", "send users to registered redirect_uris only")
    .option("--control", "have a control API although others reach the server")
    .option("--public-url <url>", "the address that users see; default http://localhost:<port>")
    .option("--allowed-host <name>", "answer for this name too; can be repeated", collect)
    .addOption(
      new Option(
        "--providers <mode>",
        "default auto: real are those with credentials, others simulated on loopback",
      ).choices(PROVIDERS_MODES),
    )
    .option("--trust-proxy <address>", "trust X-Forwarded-For from here; can be repeated", collect)
    .option("--geoip <file>", "a MaxMind DB file that fills the sessions' geo_data")
    .option("--https", "use HTTPS, with a self-signed certificate")
    .option("--metrics", "serve Prometheus metrics at /__svc/metrics")
    .addOption(new Option("--log-level <level>", "lowest level to print; default info").choices(LOG_LEVELS))
    .option("--drain <duration>", "on SIGTERM, keep accepting for this long; default 0s, 5s beyond loopback")
    .option("--open", "open the front door in a browser")
    .option("-q, --quiet", "print only what fails");
  runs(command, context, { on: "own" }, runServe, {
    examples: [
      ["svc serve", "a demo, on port 7820"],
      ["svc serve --seed seed.json --reset", "start over from your own seed"],
      ["svc serve --port 0 --store memory --json", "in a test"],
      ["svc serve --store postgres://ada@db.example/svc", "several of these on one database are one service"],
    ],
    notes: "Fails if the port is in use. The providers' credentials and PGPASSWORD: svc help environment",
  });
}

export async function runServe(context: Context, flags: ServeFlags & GlobalFlags): Promise<void> {
  // Loaded here, so that help starts fast.
  const { serveUntilSignal } = await import("./run.ts");
  return serveUntilSignal(context, flags);
}
