import { isRequestMatch } from "../../wire/control/flows.ts";
import { isWatching } from "../../wire/control/paths.ts";
import { control, type RequestEntry } from "../api/client.ts";
import { instanceName, service } from "../api/service.ts";
import { href, listAddress } from "../router.ts";
import { choicesOf } from "../ui/field.tsx";
import { chosen, FilterBar, LivePanel, type Filter } from "../ui/live-panel.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, Heading, Pill, Facts, Panel, Unloaded, type Tone } from "../ui/parts.tsx";
import { RowLink, Table, type Column } from "../ui/table.tsx";
import { Code, duration, TimeOfDay, ExactTime, UserText, Copy, CopyableCode, CopyableValue } from "../ui/values.tsx";
import { instanceChoices } from "./choices.ts";
import { useLoad } from "../api/use-load.ts";
import { asCurl, variablesIn } from "./copy-as.ts";

const METHODS = ["GET", "POST", "DELETE", "PATCH", "PUT"];
const STATUSES = ["2xx", "3xx", "4xx", "5xx"];

export const REQUEST_COLUMNS: readonly Column<RequestEntry>[] = [
  { title: "Time", cell: ({ data }) => <TimeOfDay at={data.at} /> },
  {
    title: "Request",
    cell: ({ id, data }) => (
      <>
        <RowLink address={href(["requests", id])}>
          <code class="lines">
            <b>{data.method}</b> {data.path}
          </code>
        </RowLink>
        {data.reason && <small class="lines muted">{data.reason}</small>}
      </>
    ),
    isWide: true,
  },
  { title: "Status", cell: ({ data }) => <Status status={data.status} /> },
  { title: "Instance", cell: ({ data }) => <UserText text={instanceName(data.instance)} /> },
  { title: "Took", cell: ({ data }) => duration(data.ms), align: "end" },
];

/** Every request to the service, newest first. */
export function Requests() {
  const filters: readonly Filter[] = [
    { name: "method", label: "Method", choices: choicesOf(METHODS, "Any method") },
    { name: "status", label: "Status", choices: choicesOf(STATUSES, "Any status") },
    { name: "instance", label: "Instance", choices: instanceChoices("Any instance") },
    { name: "path", label: "Path contains" },
  ];
  const query = chosen(filters);
  const chosenId = query["instance"];
  const instance = service.value.instances.find(({ id }) => id === chosenId)?.data.subdomain ?? chosenId;
  const list = useLiveList(
    "request",
    { ...query, control: "false" },
    ({ data }) => !isWatching(data.path) && isRequestMatch(data, { ...query, instance }),
  );
  return (
    <>
      <Heading
        title="Requests"
        note="Each request to the service and its answer, without keys and tokens. svc logs --all has those of the dashboard, too."
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
            toneOf={({ data: { status } }) => (status >= 500 ? "bad" : undefined)}
          />
        )}
      </LivePanel>
    </>
  );
}

export function Status({ status }: { status: number }) {
  const tones: Readonly<Record<string, Tone>> = { "2": "good", "3": "info", "4": "warn", "5": "bad" };
  return <Pill tone={tones[String(status)[0]!] ?? "plain"}>{status}</Pill>;
}

/** One request: its headers, its response, and how to repeat it. */
export function Request({ id }: { id: string }) {
  const load = (): Promise<RequestEntry> => control.request("GET /requests/:id", { params: { id } });
  const { data: entry, error, reload } = useLoad(load, [id]);
  if (!entry || error)
    return <Unloaded title="Request" back={listAddress("requests")} error={error} onRetry={reload} />;
  const { data } = entry;
  const curl = asCurl(data, globalThis.location.origin);
  const missing = variablesIn(data);
  return (
    <>
      <Heading
        back={listAddress("requests")}
        title={
          <span class="row">
            <code>
              {data.method} {data.path.split("?", 1)[0]}
            </code>{" "}
            <Status status={data.status} />
          </span>
        }
        note={data.reason}
      >
        <Copy text={curl} label="curl">
          Copy as curl
        </Copy>
      </Heading>
      <Panel title="About">
        <Facts
          rows={[
            ["Answered", <ExactTime at={data.at} />],
            ["Took", duration(data.ms)],
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
      {data.body !== null && (
        <Panel title="Body">
          <Code>{data.body}</Code>
        </Panel>
      )}
      <Panel title="Answer">
        {data.answer === null ? <p class="muted">Its body was not recorded.</p> : <Code>{data.answer}</Code>}
      </Panel>
      <Panel title="Repeat it">
        <p class="muted">
          Run <code>eval "$(npx svc-identity env)"</code> first: it sets the keys.
          {missing.length > 0 && (
            <>
              {" "}
              Set <code>{missing.map((name) => `$${name}`).join(", ")}</code> yourself: secrets are not kept.
            </>
          )}
        </p>
        <CopyableCode text={curl} label="curl" />
      </Panel>
    </>
  );
}
