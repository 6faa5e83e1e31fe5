import { execFile } from "node:child_process";
import { Agent as NodeAgent, request as nodeRequest } from "node:http";
import { promisify } from "node:util";
import axios from "axios";
import { got } from "got";
import { Agent } from "undici";
import { programOf } from "../_machine.ts";

/** A request of a client that keeps its connections; the first of a round is refused, the second must be answered. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends requests one after another. Resolves with the status of each, or the error that its program would meet. */
export type Client = (origin: string, requests: readonly Sent[]) => Promise<readonly (number | string)[]>;

/** A client on Node, whose connections end with its run. */
function onNode(create: () => { send(url: string, sent: Sent): Promise<number>; close(): unknown }): Client {
  return async (origin, requests) => {
    const { send, close } = create();
    const seen: (number | string)[] = [];
    for (const sent of requests)
      seen.push(await send(origin + sent.path, sent).catch((error: unknown) => String(error)));
    await close();
    return seen;
  };
}

const throughAxios = onNode(() => {
  const httpAgent = new NodeAgent({ keepAlive: true });
  return {
    async send(url, { method, headers, body }) {
      const data = body === undefined ? {} : { data: body };
      const options = { url, method, headers: { ...headers }, ...data, httpAgent, validateStatus: () => true };
      return (await axios.request(options)).status;
    },
    close: () => httpAgent.destroy(),
  };
});

const throughGot = onNode(() => {
  const http = new NodeAgent({ keepAlive: true });
  const client = got.extend({ agent: { http }, throwHttpErrors: false, retry: { limit: 0 }, allowGetBody: true });
  return {
    send: async (url, { method, headers, body }) =>
      (await client(url, { method: method as "GET", headers: { ...headers }, ...(body !== undefined && { body }) }))
        .statusCode,
    close: () => http.destroy(),
  };
});

const throughNode = onNode(() => {
  const agent = new NodeAgent({ keepAlive: true });
  return {
    send: (url, { method, headers, body }) =>
      new Promise((resolve, reject) => {
        // To GET and DELETE, Node itself adds no length, and what follows them would be no HTTP.
        const length = body === undefined ? {} : { "content-length": body.length };
        const sending = nodeRequest(url, { agent, method, headers: { ...headers, ...length } }, (answer) => {
          answer.resume().once("end", () => resolve(answer.statusCode!));
        });
        sending.once("error", reject).end(body);
      }),
    close: () => agent.destroy(),
  };
});

const throughUndici = onNode(() => {
  const agent = new Agent();
  return {
    async send(url, { method, headers, body }) {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: pathname + search, method: method as "GET", headers, body: body ?? null };
      const answer = await agent.request(options);
      await answer.body.dump();
      return answer.statusCode;
    },
    close: () => agent.close(),
  };
});

const PYTHON = `
import json, sys
session = OPEN
seen = []
origin, requests_to_send = json.load(sys.stdin)
for sent in requests_to_send:
    body = sent.get("body")
    try:
        answer = session.request(sent["method"], origin + sent["path"], headers=sent["headers"], BODY=body and body.encode())
        seen.append(answer.status_code)
    except Exception as error:
        seen.append(repr(error))
print(json.dumps(seen))
`;

const run = promisify(execFile);

export function throughPython(module: "requests" | "httpx"): Client {
  const [session, body] =
    module === "requests" ? ["requests.Session()", "data"] : ["httpx.Client(trust_env=False)", "content"];
  const script = `import ${module}\n${PYTHON.replace("OPEN", session).replace("BODY", body)}`;
  return async (origin, requests) => {
    const running = run(programOf(`python3-${module}`)!, ["-c", script], { env: { ...process.env, NO_PROXY: "*" } });
    running.child.stdin!.end(JSON.stringify([origin, requests]));
    return JSON.parse((await running).stdout) as (number | string)[];
  };
}

export const ON_NODE: Readonly<Record<string, Client>> = {
  axios: throughAxios,
  got: throughGot,
  "node:http with an agent": throughNode,
  undici: throughUndici,
};
