import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryDirectory } from "../_files.ts";
import { needs } from "../_machine.ts";
import { ROOT } from "../_paths.ts";

const RULES = join(ROOT, "docs/alerts.yaml");
const MINUTES = 30;

/** How much a counter grows in each minute. */
type Series = Readonly<Record<string, number>>;

/** Lets Prometheus's own tool play half an hour. @returns whether the alert fires at its end, and no earlier than it says */
function fires(alertname: string, series: Series, labels: object): boolean {
  const [alerts, silence] = [[{ exp_labels: { severity: severityOf(alertname), ...labels } }], []];
  const passes = (exp_alerts: object[]): boolean => {
    const input_series = Object.entries(series).map(([name, perMinute]) => ({
      series: name,
      values: `0${perMinute < 0 ? "" : "+"}${perMinute}x${MINUTES}`,
    }));
    const alert_rule_test = [{ eval_time: `${MINUTES}m`, alertname, exp_alerts }];
    const tests = [{ interval: "1m", input_series, alert_rule_test }];
    const directory = temporaryDirectory();
    const [bare, file] = [join(directory, "alerts.yaml"), join(directory, "test.yaml")];
    // JSON is YAML.
    writeFileSync(bare, BARE);
    writeFileSync(file, JSON.stringify({ rule_files: [bare], tests }));
    return spawnSync("promtool", ["test", "rules", file]).status === 0;
  };
  const [fired, silent] = [passes(alerts), passes(silence)];
  expect(fired).not.toBe(silent);
  return fired;
}

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
}

const rules = (parse(await readFile(RULES, "utf8")) as { groups: { rules: Rule[] }[] }).groups[0]!.rules;
const severityOf = (name: string): string => rules.find(({ alert }) => alert === name)!.labels.severity;
/** Without their sentences, which promtool would compare as well. */
const BARE = JSON.stringify({
  groups: [{ name: "svc", rules: rules.map((rule) => ({ ...rule, annotations: undefined })) }],
});

it("Each rule has a severity", () => {
  expect(new Set(rules.map(({ labels }) => labels?.severity))).toEqual(new Set(["critical", "warning"]));
});

describe("A stranger with a few requests fires no alert, and what is ours does:", () => {
  const refused = (reason: string): string => `svc_requests_refused_total{reason="${reason}"}`;
  const callbacks = 'svc_http_requests_total{route="/oauth/:provider/callback"}';
  const answers = (failed: number, good: number): Series => ({
    'svc_http_requests_total{status="500"}': failed,
    'svc_http_requests_total{status="200"}': good,
  });
  const signIns = (outcome: string): string => `svc_sign_ins_total{provider="google",outcome="${outcome}"}`;

  it.each<[name: string, alert: string, few: Series, many: Series, labels: object]>([
    [
      "unknown keys",
      "SvcKeyRefused",
      { [refused("unknown_key")]: 5 },
      { [refused("unknown_key")]: 60 },
      { reason: "unknown_key" },
    ],
    [
      "a key that was replaced",
      "SvcKeyRefused",
      { [refused("replaced_key")]: 0.2 },
      { [refused("replaced_key")]: 2 },
      { reason: "replaced_key" },
    ],
    [
      "callbacks",
      "SvcCallbacksRefused",
      { [refused("invalid_state")]: 1, [callbacks]: 1 },
      { [refused("invalid_state")]: 6, [callbacks]: 20 },
      {},
    ],
    [
      "sign-ins",
      "SvcSignInsFail",
      { [signIns("server_error")]: 1, [signIns("success")]: 1 },
      { [signIns("server_error")]: 5, [signIns("success")]: 20 },
      { provider: "google" },
    ],
    ["an answer of 200 that is an error", "SvcBudgetBurnsFast", answers(1, 199), answers(3, 197), {}],
    ["as many for six hours", "SvcBudgetBurnsSlowly", answers(1, 199), answers(2, 198), {}],
    ["fewer than an hour is alarmed by", "SvcBudgetBurnsFast", answers(2, 198), answers(4, 196), {}],
    ["a scrape", "SvcAbsent", { 'up{job="svc"}': 1 }, {}, { job: "svc" }],
    // A minute each minute, and a time long ago.
    ["a backup", "SvcBackupOld", { svc_backup_timestamp_seconds: 60 }, { svc_backup_timestamp_seconds: -60_000 }, {}],
  ])("%s", needs("promtool"), (_, alert, few, many, labels) => {
    expect([fires(alert, few, labels), fires(alert, many, labels)]).toEqual([false, true]);
  });
});
