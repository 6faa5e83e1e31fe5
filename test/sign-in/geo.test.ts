// Below the faces: the places of addresses that a test does not have.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openGeoDatabase } from "../../src/server/sign-in/geo.ts";
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

  it("finds the location of known addresses, and none for others", async () => {
    const locate = await openGeoDatabase(join(directory, "city.mmdb"));
    expect(locate("203.0.113.7")).toEqual({
      country: "GB",
      country_name: "United Kingdom",
      city: "London",
      latitude: 51.5,
      longitude: -0.25,
      time_zone: "Europe/London",
    });
    expect(locate("198.51.100.1")).toEqual({});
    expect(locate("2001:db8::1")).toEqual({});
    expect(locate("not an address")).toEqual({});
  });

  it("names a file that cannot be read, with the reason", async () => {
    await writeFile(join(directory, "city.mmdb"), "no database");
    await expect(openGeoDatabase(join(directory, "city.mmdb"))).rejects.toThrow(
      /^--geoip: .*city\.mmdb can't be read as a MaxMind DB file/,
    );
    await expect(openGeoDatabase(join(directory, "none.mmdb"))).rejects.toThrow(
      /none\.mmdb can't be read as a MaxMind DB file \(ENOENT\)\.$/,
    );
  });

  it("fills the session's geo_data at sign-in", async () => {
    const server = await serve({
      port: 0,
      store: "memory",
      seed: join(directory, "seed.json"),
      geoip: join(directory, "city.mmdb"),
    });
    try {
      const query = new URLSearchParams({
        provider: "github",
        login_hint: "mary",
        redirect_uri: "http://localhost:3000/",
      });
      let url = `${server.url}/oauth/authorize?${query.toString()}`;
      for (let hop = 0; hop < 3; hop++)
        url =
          (await fetch(url, { redirect: "manual", headers: { "user-agent": "test" } })).headers.get("location") ?? "";
      const headers = { "x-service-secret-key": server.instances[0]!.secret_key };
      const sessions = await fetch(`${server.url}/api/v1/sessions/search?query=email:mary@geneva.test`, { headers });
      expect(await sessions.json()).toMatchObject([
        { data: { ip_address: "127.0.0.1", geo_data: { country: "GB", city: "London" } } },
      ]);
    } finally {
      await server.close();
    }
  });
});
