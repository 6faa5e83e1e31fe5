import { ControlError, type ControlClient } from "../control-client/index.ts";

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

/** A service always has one. */
export type TestInstances = readonly [TestInstance, ...TestInstance[]];

/** Asks for the instances, in the order in which they were made, or for the one with that id. */
export async function readInstances(control: ControlClient, only: string | undefined): Promise<TestInstance[]> {
  const newestFirst = await control.request("GET /instances");
  return Promise.all(
    newestFirst
      .toReversed()
      .filter(({ id }) => only === undefined || id === only)
      .map(async ({ id, data }) => {
        const keys = await control.request("POST /instances/:id/reveal", { params: { id } });
        return { ...data, id, ...keys };
      }),
  );
}

/** What a test sees of the instances. @throws {ControlError} `instance_not_found` if there is none */
export function testInstances(instances: readonly TestInstance[]): TestInstances {
  const [first, ...others] = instances.map(
    ({ id, app_id, name, subdomain, url, publishable_key, secret_key, redirect_uris }): TestInstance => ({
      id,
      app_id,
      name,
      subdomain,
      url,
      publishable_key,
      secret_key,
      redirect_uris,
    }),
  );
  if (first) return [first, ...others];
  throw new ControlError("instance_not_found", undefined, "The service has no instance. Add one to its seed.");
}

/** @param name a subdomain or an id; undefined: the first one. @throws {ControlError} with the names that there are */
export function instanceNamed(instances: TestInstances, name: string | undefined): TestInstance {
  if (name === undefined) return instances[0];
  const instance = instances.find(({ id, subdomain }) => id === name || subdomain === name);
  if (instance) return instance;
  const known = instances.map(({ subdomain }) => subdomain).join(", ");
  const message = `There is no instance "${name}". The instances are: ${known}.`;
  throw new ControlError("instance_not_found", undefined, message);
}
