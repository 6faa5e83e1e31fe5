import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { directory, run, serve, useProcesses, type StartOptions } from "../_bin.ts";

useProcesses();

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Makes a process report, when it exits, the modules and files that it loaded. */
function observed(name: string): {
  options: StartOptions;
  loaded(): { builtins: string[]; bytes: number; text: string };
} {
  const place = join(directory, name);
  const hook = `${place}.cjs`;
  const list = `${place}.json`;
  writeFileSync(
    hook,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)));`,
  );
  return {
    options: { cwd: directory, env: { NODE_OPTIONS: `--require=${hook}`, NODE_V8_COVERAGE: place } },
    loaded() {
      const builtins = (JSON.parse(readFileSync(list, "utf8")) as string[]).map((text) => text.split(" ").at(-1)!);
      const covered = readdirSync(place).map((file) => readFileSync(join(place, file), "utf8"));
      const urls = covered.flatMap((text) => (JSON.parse(text) as Coverage).result.map(({ url }) => url));
      const files = [...new Set(urls)].filter((url) => url.includes("/dist/")).map((url) => fileURLToPath(url));
      return {
        builtins,
        bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
        text: files.map((file) => readFileSync(file, "utf8")).join("\n"),
      };
    },
  };
}

/** Node's `fetch` and its classes, HTTP/2 and TLS, which cost more than the rest of a start. */
const HEAVY = /^(?:internal\/deps\/undici\/undici|http2|https|tls|_tls_wrap)$/;

it("svc serve starts without loading the validators, Node's fetch, TLS or certificate generation", async () => {
  const { options, loaded } = observed("serve");
  const { child, ended, ready } = await serve(["--store", "db.json"], options);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
  // The first start reads a seed, which is checked.
  const second = observed("again");
  const again = await serve(["--store", "db.json"], second.options);
  expect((await fetch(`http://127.0.0.1:${again.ready.port}/.well-known/openid-configuration`)).status).toBe(200);
  again.child.kill("SIGTERM");
  expect(await again.ended).toMatchObject({ code: 0 });
  expect(ready.pid).not.toBe(again.ready.pid);
  expect(loaded().text).toContain("ZodType");

  const { builtins, bytes, text } = second.loaded();
  expect(builtins).toContain("http");
  expect(builtins.filter((name) => HEAVY.test(name))).toEqual([]);
  expect(text).not.toMatch(/ZodType|consola|faker/);
  expect(bytes).toBeLessThan(400_000);
});

it("svc users search starts without loading Node's fetch, TLS, processes or threads", async () => {
  await serve(["--store", "memory"], { cwd: directory });
  const { options, loaded } = observed("search");
  expect(await run(["users", "search", "email:*@acme.test", "--output", "ids"], options)).toMatchObject({ code: 0 });
  const { builtins, bytes } = loaded();
  expect(builtins).toContain("http");
  expect(builtins.filter((name) => HEAVY.test(name))).toEqual([]);
  // Files that are read by promises are read by threads.
  expect(builtins).not.toContain("child_process");
  expect(builtins).not.toContain("fs/promises");
  expect(bytes).toBeLessThan(190_000);
});
