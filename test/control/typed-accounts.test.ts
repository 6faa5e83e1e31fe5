// Below the faces: a thousand typed accounts, and what is not asked, are seen inside alone.

import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { Personas } from "../../src/server/simulator/personas.ts";
import { createSealer } from "../../src/server/simulator/sealer.ts";
import { createSimulator } from "../../src/server/simulator/simulator.ts";
import { typedPersona } from "../../src/server/simulator/typed-account.ts";
import { authorize } from "../_picker.ts";

const FRONT = "http://localhost:7820";

function typedIn(...addresses: readonly string[]): Personas {
  const personas = new Personas([]);
  for (const email of addresses) personas.add(typedPersona(email, null));
  return personas;
}

describe("An account that was typed in", () => {
  it("is found by its id, and by its address in any case", () => {
    const personas = typedIn("Mary@acme.test");
    const mary = personas.find("mary@ACME.test");
    expect(mary?.email).toBe("Mary@acme.test");
    expect(personas.find(mary!.id)).toEqual(mary);
    expect(personas.find("")).toBeUndefined();
    expect(personas.find("nora@acme.test")).toBeUndefined();
  });

  it("is deleted after a thousand newer ones, which are found", () => {
    const others = Array.from({ length: 1000 }, (_, n) => `other${n}@acme.test`);
    const personas = typedIn("mary@acme.test", ...others);
    expect(personas.size).toBe(1000);
    expect(personas.find("mary@acme.test")).toBeUndefined();
    expect(others.filter((email) => personas.find(email)?.email !== email)).toEqual([]);
  });
});

describe("The simulator's own client", () => {
  it("is recognized without reading the store's instances", async () => {
    const clients = vi.fn(() => []);
    const simulator = createSimulator({
      front: FRONT,
      callbackUrl: (provider) => `${FRONT}/oauth/${provider}/callback`,
      personas: [],
      clients,
      applications: { at: () => [] },
      keepKey: (make) => make(),
      sealKey: randomBytes(32),
      now: () => new Date(),
    });
    const query = (client_id: string): Map<string, string> =>
      new Map([
        ["response_type", "code"],
        ["client_id", client_id],
        ["redirect_uri", `${FRONT}/oauth/github/callback`],
        ["scope", "user:email"],
        ["state", "s"],
      ]);
    expect(await authorize(simulator, "github", query(simulator.client.client_id))).toMatchObject({ accounts: [] });
    expect(clients).not.toHaveBeenCalled();
    await expect(authorize(simulator, "github", query("unknown"))).rejects.toThrow("unknown client_id");
    expect(clients).toHaveBeenCalled();
  });
});

describe("A sealed value", () => {
  it("opens for its own purpose only, in any order and any number of times", () => {
    const sealer = createSealer(randomBytes(32));
    const text = sealer.close("code", ["ada"]);
    for (let n = 0; n < 3; n++) {
      expect(sealer.open("code", text)?.value).toEqual(["ada"]);
      expect(sealer.open("request", text)).toBeUndefined();
      expect(sealer.open("code", `${text.slice(0, -2)}${text.endsWith("AA") ? "BB" : "AA"}`)).toBeUndefined();
    }
  });
});
