import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Session } from "../../src/client/index.ts";
import { serve } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { useIpv4First } from "../_ipv4-first.ts";
import { createMmdb } from "../_mmdb.ts";
import { SEED } from "../_setup.ts";

useIpv4First();

const LONDON = {
  city: { names: { en: "London" } },
  country: { iso_code: "GB", names: { en: "United Kingdom" } },
  location: { latitude: 51.5, longitude: -0.25, time_zone: "Europe/London" },
};

describe("svc serve --geoip", () => {
  let directory: string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    await writeFile(join(directory, "city.mmdb"), createMmdb({ "203.0.113.0/24": LONDON, "127.0.0.0/8": LONDON }));
    await writeFile(join(directory, "seed.json"), JSON.stringify(SEED));
  });

  const start = (geoip: string) =>
    serve({
      port: 0,
      store: "memory",
      seed: join(directory, "seed.json"),
      geoip: join(directory, geoip),
      trustProxy: ["127.0.0.1"],
    });

  it("names a file that cannot be read, with the reason", async () => {
    await writeFile(join(directory, "city.mmdb"), "no database");
    await expect(start("city.mmdb")).rejects.toThrow(/^--geoip: .*city\.mmdb can't be read as a MaxMind DB file/);
    await expect(start("none.mmdb")).rejects.toThrow(/none\.mmdb can't be read as a MaxMind DB file \(ENOENT\)\.$/);
  });

  it.each([
    [undefined, { country: "GB", city: "London" }],
    [
      "203.0.113.7",
      {
        country: "GB",
        country_name: "United Kingdom",
        city: "London",
        latitude: 51.5,
        longitude: -0.25,
        time_zone: "Europe/London",
      },
    ],
    ["198.51.100.1", {}],
    ["2001:db8::1", {}],
  ])("fills the geo_data of a session from %s", async (address, geo_data) => {
    const server = await start("city.mmdb");
    onTestFinished(() => server.close());
    const query = new URLSearchParams({
      provider: "github",
      login_hint: "mary",
      redirect_uri: "http://localhost:3000/",
    });
    const forwarded = { "user-agent": "test", ...(address !== undefined && { "x-forwarded-for": address }) };
    let url = `${server.url}/oauth/authorize?${query.toString()}`;
    for (let hop = 0; hop < 3; hop++)
      url = (await fetch(url, { redirect: "manual", headers: forwarded })).headers.get("location") ?? "";
    const headers = { "x-service-secret-key": server.instances[0]!.secret_key };
    const answer = await fetch(`${server.url}/api/v1/sessions/search?query=email:mary@geneva.test`, { headers });
    const [session] = (await answer.json()) as Session[];
    expect(session!.data.ip_address).toBe(address ?? "127.0.0.1");
    if (Object.keys(geo_data).length > 0) expect(session!.data.geo_data).toMatchObject(geo_data);
    else expect(session!.data.geo_data).toEqual({});
  });
});
