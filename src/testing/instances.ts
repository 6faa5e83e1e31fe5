import type { ControlClient } from "../control-client/index.ts";

/** An application's keys and addresses, its secret key included. */
export interface TestInstance {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly subdomain: string;
  /** {base_url} of the instance. */
  readonly url: string;
  readonly publishable_key: string;
  readonly secret_key: string;
  readonly redirect_uris: readonly string[];
}

/** The instances in the order in which they were made, or the one with that id. */
export async function readInstances(control: ControlClient, only: string | undefined): Promise<TestInstance[]> {
  const newestFirst = await control.request("GET /instances");
  return Promise.all(
    newestFirst
      .toReversed()
      .filter(({ id }) => only === undefined || id === only)
      .map(async ({ id, data }) => {
        const keys = await control.request("POST /instances/:id/reveal", { params: { id } });
        const { app_id, name, subdomain, url, redirect_uris } = data;
        return { id, app_id, name, subdomain, url, redirect_uris, ...keys };
      }),
  );
}

/** @param name a subdomain or an id; undefined: the first one. @throws {Error} with the names that there are */
export function instanceNamed(instances: readonly TestInstance[], name: string | undefined): TestInstance {
  const instance = instances.find(({ id, subdomain }) => name === undefined || id === name || subdomain === name);
  if (instance) return instance;
  if (name === undefined) throw new Error("The service has no instance. Add one to its seed.");
  const known = instances.map(({ subdomain }) => subdomain).join(", ");
  throw new Error(`There is no instance "${name}". The instances are: ${known}.`);
}
