import type { VNode } from "preact";
import { control } from "../api/client.ts";
import type { RequestEntry } from "../api/records.ts";
import { instanceName } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { href, listAddress } from "../router.ts";
import { Copy, CopyableCode, CopyableValue } from "../ui/copy.tsx";
import { Code, Facts, Heading, Panel, Unloaded } from "../ui/parts.tsx";
import { duration, ExactTime } from "../ui/time.tsx";
import { asClientCode, asCurl, variablesIn } from "./requests/copy-as.ts";
import { Status } from "./requests.tsx";

/** One request: its headers, its response, and how to repeat it. */
export function Request({ id }: { id: string }): VNode {
  const load = (): Promise<RequestEntry> => control.request("GET /requests/:id", { params: { id } });
  const { data: entry, error, reload } = useLoad(load, [id]);
  if (!entry || error)
    return <Unloaded title="Request" back={listAddress("requests")} error={error} onRetry={reload} />;
  const { data } = entry;
  const curl = asCurl(data, location.origin);
  const missing = variablesIn(data);
  const code = asClientCode(data, location.origin);
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
        {code && (
          <Copy text={code} label="Client code">
            Copy as client code
          </Copy>
        )}
      </Heading>
      <div class="grid-2">
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
              ["Flow", data.flow_id && <a href={href(["flows", data.flow_id])}>The sign-in it belongs to</a>],
              ["Request-Id", <CopyableValue text={entry.id} label="Request id" />],
            ]}
          />
        </Panel>
        <Panel title="Headers">
          <Facts rows={Object.entries(data.headers).map(([name, value]) => [name, <code>{value}</code>] as const)} />
        </Panel>
      </div>
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
          Run <code>eval "$(npx svc-identity env)"</code> first, which sets the keys
          {missing.length > 0 && (
            <>
              {" "}
              and set <code>{missing.map((name) => `$${name}`).join(", ")}</code>: secrets are not kept
            </>
          )}
          .
        </p>
        <CopyableCode text={curl} label="curl" />
      </Panel>
    </>
  );
}
