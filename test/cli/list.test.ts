// Below the faces: widths of letters; hundreds of rows. See transcripts/lists.txt for the rest.
import { describe, expect, it } from "vitest";
import widthOf from "string-width";
import { harmless, harmlessData } from "../../src/cli/output/text.ts";
import { runCli } from "../_cli.ts";
import { SEED, setup, type Service } from "../_setup.ts";

const LIST = ["users", "list"];

/** The instance acme with only users of these names. */
function named(...names: string[]): Promise<Service> {
  const [acme] = SEED.instances;
  const users = names.map((name, i) => ({ email: `m${i}@acme.test`, name, created_at: `2026-01-0${9 - i}T09:00:00Z` }));
  return setup({ seed: { instances: [{ ...acme, users }] } });
}

describe("Names with zero-width joiners", () => {
  it.each(["علی\u200cرضا", "क्\u200dष", "a\u200db", "👩\u200d", "\u200d👩", "👩\u200d\u200d👧", "a\u200d👧"])(
    "are unchanged in data and marked in a table: %s",
    (name) => {
      expect(harmlessData(`${name}\u001b[2J`)).toBe(`${name}\\u{1b}[2J`);
      expect(harmless(name)).toMatch(/\\u\{200[cd]\}/);
    },
  );

  it.each(["👩\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "👩🏽\u200d💻", "❤\ufe0f\u200d🔥"])(
    "are one emoji two columns wide in a table and are never cut: %s",
    async (emoji) => {
      expect(harmless(`${emoji}\u001b`)).toBe(`${emoji}\\u{1b}`);
      const service = await named("plain", emoji, `${emoji} and a name that is too long for a narrow table`);
      const { stdout } = await runCli([...LIST, "--fields", "name,email"], { service, tty: true, columns: 40 });
      const [, ...rows] = stdout.trimEnd().split("\n");
      const [width, ...others] = rows.map((row) => widthOf(row.slice(0, row.search(/m\d@/))));
      expect([others, width! > 16]).toEqual([[width, width], true]);
      expect(rows[1]!.startsWith(`${emoji} `)).toBe(true);
      const narrow = await runCli([...LIST, "--fields", "name"], {
        service: await named(emoji.repeat(20)),
        tty: true,
        columns: 12,
      });
      const [shown = ""] = narrow.stdout.trimEnd().split("\n").slice(1);
      expect(shown).toBe(`${emoji.repeat(5)}…`);
    },
  );
});

describe("A user's name", () => {
  it("of unknown width keeps every line within the terminal", async () => {
    const [acme] = SEED.instances;
    const users = Array.from({ length: 700 }, (_, i) => ({
      email: `u${i}@acme.test`,
      name: i < 100 ? "ソフィア・コワレフスカヤ・ヴァシーリエヴナ" : "Ada",
      created_at: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    }));
    const service = await setup({ seed: { instances: [{ ...acme, users }] } });
    const { stdout } = await runCli([...LIST, "--limit", "1000"], {
      service,
      tty: true,
      columns: 90,
      env: { NO_COLOR: "1" },
    });
    const { default: stringWidth } = await import("string-width");
    expect(Math.max(...stdout.split("\n").map((line) => stringWidth(line)))).toBeLessThanOrEqual(90);
    expect(stdout.split("\n")).toHaveLength(702);
  });

  it("80 columns wide shows addresses whole: names are cut first, and the last column goes first", async () => {
    const [acme] = SEED.instances;
    const email = "maximiliane.hohenzollern-sigmaringen@department.acme.test";
    const users = [email, "ada@acme.test"].map((address, i) => ({
      email: address,
      name: `Maximiliane von Hohenzollern ${i}`,
      created_at: "2026-05-01T00:00:00Z",
    }));
    const service = await setup({ seed: { instances: [{ ...acme, users }] } });
    const show = async (columns: number): Promise<string[]> =>
      (await runCli(LIST, { service, tty: true, columns, env: { NO_COLOR: "1" } })).stdout.trimEnd().split("\n");
    const [heading, ...rows] = await show(80);
    expect(heading).toMatch(/^ID +EMAIL +NAME$/);
    expect([rows.some((row) => row.includes(` ${email} `)), rows.every((row) => row.length <= 80)]).toEqual([
      true,
      true,
    ]);
    expect((await show(115))[0]).toMatch(/^ID +EMAIL +NAME +PROVIDERS +VERIFIED$/);
    expect((await show(60)).every((row) => row.length <= 60)).toBe(true);
  });
});
