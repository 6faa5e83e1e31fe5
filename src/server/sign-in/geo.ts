import { stat } from "node:fs/promises";
import { isIP } from "node:net";
import type { CityResponse, open as Open } from "maxmind";
import { ServeError } from "../errors.ts";

/** Geographic data of an address; empty if none is known. */
export type LocateIp = (ip_address: string) => Record<string, unknown>;

export const nowhere: LocateIp = () => ({});

/**
 * Opens a MaxMind DB file (`.mmdb`) with city or country data.
 * @throws {ServeError} saying what is wrong with the file
 */
export async function openGeoDatabase(path: string): Promise<LocateIp> {
  // Bundled, a CommonJS package has its exports on `default`.
  const module: { open?: typeof Open; default?: { open: typeof Open } } = await import("maxmind");
  const open = module.open ?? module.default!.open;
  const refused = (error: unknown): never => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ServeError(`--geoip: ${path} can't be read as a MaxMind DB file (${code ?? message}).`, { cause: error });
  };
  const there = await stat(path).catch(refused);
  if (!there.isFile()) refused(new Error("it is not a file"));
  const reader = await open<CityResponse>(path).catch(refused);
  return (ip_address) => (isIP(ip_address) ? toGeoData(reader.get(ip_address)) : {});
}

function toGeoData(entry: CityResponse | null): Record<string, unknown> {
  const data = {
    country: entry?.country?.iso_code,
    country_name: entry?.country?.names?.en,
    region: entry?.subdivisions?.[0]?.names?.en,
    city: entry?.city?.names?.en,
    latitude: entry?.location?.latitude,
    longitude: entry?.location?.longitude,
    time_zone: entry?.location?.time_zone,
  };
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
