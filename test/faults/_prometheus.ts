import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { programOf } from "../_machine.ts";
import { ROOT } from "../_paths.ts";

export const hasPrometheus = programOf("prometheus") !== undefined;

export interface Prometheus {
  /** The names of the alerts that fire. */
  firing(): Promise<string[]>;
  /** The names of those that fired in the last seconds. */
  fired(seconds: number): Promise<string[]>;
}

/** Rules that need not last, and a journal that need not be so long: a test can't wait for them. */
function quick(rules: string): string {
  return rules
    .replaceAll(/^ +for: .*\n/gm, "")
    .replaceAll(/\[\d+[mh]\]/g, "[5s]")
    .replace("268435456", "10000");
}

/** Prometheus with the rules of docs/alerts.yaml. */
export async function startPrometheus(ports: readonly number[]): Promise<Prometheus> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const rules = await readFile(join(ROOT, "docs/alerts.yaml"), "utf8");
  await writeFile(join(directory, "alerts.yaml"), quick(rules));
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: ["alerts.yaml"],
    scrape_configs: [
      {
        job_name: "svc",
        metrics_path: "/__svc/metrics",
        static_configs: [{ targets: ports.map((each) => `127.0.0.1:${each}`) }],
      },
    ],
  };
  // JSON is YAML.
  await writeFile(join(directory, "prometheus.yaml"), JSON.stringify(config));
  const flags = [
    `--config.file=${join(directory, "prometheus.yaml")}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ];
  const child = spawn("prometheus", flags, { stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const ask = async (query: string): Promise<string[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
    const { data } = (await answer.json()) as { data: { result: { metric: { alertname: string } }[] } };
    return [...new Set(data.result.map(({ metric }) => metric.alertname))].toSorted();
  };
  const isUp = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await sleep(100);
  return {
    firing: () => ask('ALERTS{alertstate="firing"}'),
    fired: (seconds) => ask(`max_over_time(ALERTS{alertstate="firing"}[${Math.ceil(seconds)}s])`),
  };
}
