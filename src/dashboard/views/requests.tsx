import { PROVIDERS, providerTitle } from "../../wire/providers.ts";
import { isRequestMatch } from "../../wire/control/flows.ts";
import { isWatching } from "../../wire/control/paths.ts";
import { control, type RequestEntry } from "../api/client.ts";
import { instanceName, service } from "../api/service.ts";
import { href, listAddress } from "../router.ts";
import { choicesOf } from "../ui/field.tsx";
import { chosen, FilterBar, LivePanel, type ShownFilter } from "../ui/live-panel.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, PageHeading, Pill, Facts, Panel, Unloaded, type Tone } from "../ui/parts.tsx";
import { RowLink, Table, type Column } from "../ui/table.tsx";
import { Code, shownDuration, TimeOfDay, ExactTime, UserText, CopyButton, CopyableValue } from "../ui/values.tsx";
import { instanceChoices } from "./choices.ts";
import { useLoad } from "../api/use-load.ts";
import { asCurl } from "./copy-as.ts";

const METHODS = ["GET", "POST", "DELETE", "PATCH", "PUT"];
const STATUSES = [{ value: "failed", text: "Failed" }, "2xx", "3xx", "4xx", "5xx"];
const OWN = [{ value: "true", text: "With svc's own" }];

export const REQUEST_COLUMNS: readonly Column<RequestEntry>[] = [
  { title: "Time", cell: ({ data }) => <TimeOfDay at={data.at} /> },
  {
    title: "Request",
    cell: ({ id, data }) => (
      <>
        <RowLink address={href(["requests", id])}>
          <code class="lines">
            <b>{data.method}</b> {data.path.split("?", 1)[0]}
          </code>
        </RowLink>{" "}
        <small>
          <UserText text={meaningOf(data)} muted />
        </small>
        {data.reason && <small class="lines muted">{data.reason}</small>}
      </>
    ),
    isWide: true,
  },
  { title: "Status", cell: ({ data }) => <Status {...data} /> },
  { title: "Took", cell: ({ data }) => shownDuration(data.ms), align: "end", isSpare: true },
];

function parametersOf({ path }: RequestEntry["data"]): URLSearchParams {
  return new URLSearchParams(path.slice(path.split("?", 1)[0]!.length));
}

/** What tells a request from others of its route: provider, instance, outcome and account. */
function meaningOf(data: RequestEntry["data"]): string {
  const query = parametersOf(data);
  const provider = query.get("provider") ?? PROVIDERS.find((name) => data.path.includes(`/${name}/`));
  const instance = instanceName(data.instance ?? query.get("instance"));
  const parts = [provider && providerTitle(provider), instance, query.get("outcome"), query.get("login_hint")];
  return parts.filter(Boolean).join(" · ");
}

/** A redirect that takes an error to the application has a reason. */
function isFailed({ status, reason }: RequestEntry["data"]): boolean {
  return status >= 400 || reason !== null;
}

/** Every request to the service, newest first. */
export function RequestsPage() {
  const filters: readonly ShownFilter[] = [
    { name: "path", label: "Path contains" },
    { name: "method", label: "Method", choices: choicesOf(METHODS, "Any method") },
    { name: "status", label: "Status", choices: choicesOf(STATUSES, "Any status") },
    { name: "instance", label: "Instance", choices: instanceChoices("Any instance") },
    { name: "control", label: "svc's own", choices: choicesOf(OWN, "Without svc's own") },
  ];
  const query = chosen(filters);
  const chosenId = query["instance"];
  const instance = service.value.instances.find(({ id }) => id === chosenId)?.data.subdomain ?? chosenId;
  const isAll = query["control"] === "true";
  const list = useLiveList(
    "request",
    { ...query, control: isAll ? undefined : "false" },
    ({ data }) => (isAll || !isWatching(data.path)) && isRequestMatch(data, { ...query, instance }),
  );
  return (
    <>
      <PageHeading
        title="Requests"
        note="What applications and browsers asked, and the answers, without keys and tokens."
      />
      <FilterBar filters={filters} />
      <LivePanel
        list={list}
        noun="request"
        empty={
          <Empty
            icon="requests"
            title={Object.values(query).some(Boolean) ? "No request matches these filters" : "No requests yet"}
          >
            Requests to the service appear here as they are answered.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Requests"
            columns={REQUEST_COLUMNS}
            rows={rows}
            toneOf={({ data }) => (data.status >= 500 || (data.status < 400 && isFailed(data)) ? "bad" : undefined)}
          />
        )}
      </LivePanel>
    </>
  );
}

function Status(data: RequestEntry["data"]) {
  const { status } = data;
  const tones: Readonly<Record<string, Tone>> = { "2": "good", "3": "info", "4": "warn", "5": "bad" };
  if (status < 400 && isFailed(data)) return <Pill tone="bad">{status} failed</Pill>;
  return <Pill tone={tones[String(status)[0]!] ?? "plain"}>{status}</Pill>;
}

/** One request: its headers, its response, and how to repeat it. */
export function RequestPage({ id }: { id: string }) {
  const load = (): Promise<RequestEntry> => control.request("GET /requests/:id", { params: { id } });
  const { data: entry, error, reload } = useLoad(load, [id]);
  if (!entry || error)
    return <Unloaded title="Request" back={listAddress("requests")} error={error} onRetry={reload} />;
  const { data } = entry;
  const parameters = [...parametersOf(data)];
  return (
    <>
      <PageHeading
        back={listAddress("requests")}
        title={
          <span class="row">
            <code>
              {data.method} {data.path.split("?", 1)[0]}
            </code>{" "}
            <Status {...data} />
          </span>
        }
        note={data.reason}
      >
        <CopyButton text={asCurl(data, globalThis.location.origin)} label="curl">
          Copy as curl
        </CopyButton>
      </PageHeading>
      <Panel title="About">
        <Facts
          rows={[
            ["Answered", <ExactTime at={data.at} />],
            ["Took", shownDuration(data.ms)],
            ["Route", data.route && <code>{data.route}</code>],
            [
              "Instance",
              data.instance && <a href={href(["instances", data.instance])}>{instanceName(data.instance)}</a>,
            ],
            ["Sign-in", data.flow_id && <a href={href(["flows", data.flow_id])}>Its steps</a>],
            ["Request-Id", <CopyableValue text={entry.id} label="Request id" />],
          ]}
        />
      </Panel>
      {parameters.length > 0 && (
        <Panel title="Parameters">
          <Facts rows={parameters.map(([name, value]) => [<code>{name}</code>, <code>{value}</code>])} />
        </Panel>
      )}
      {data.body !== null && (
        <Panel title="Body">
          <Code>{data.body}</Code>
        </Panel>
      )}
      <Panel title="Answer">
        {data.answer === null ? <p class="muted">Its body was not recorded.</p> : <Code>{data.answer}</Code>}
      </Panel>
    </>
  );
}
