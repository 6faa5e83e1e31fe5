import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { Visit } from "./_applications.ts";

describe.skipIf(CHROMIUM === undefined)("In a browser", () => {
  const on = new Visit();

  /** What the attacker's page gets from one of our addresses. */
  async function attempt(script: string): Promise<unknown> {
    await on.page.goto(on.app.origin);
    return on.page.evaluate(`(async () => { try { return await (${script}) } catch (error) { return error.name } })()`);
  }

  describe("A page of another origin", () => {
    it.each([
      ["the home page, with its keys", "/"],
      ["the list of users", "/api/v1/users"],
      ["a page with a token on it", "/__svc/signed-in?token=x"],
      ["the account picker", "/__svc/simulator/google/authorize"],
    ])("cannot read %s", async (_, path) => {
      const url = JSON.stringify(on.svc.url + path);
      expect(await attempt(`fetch(${url}).then((response) => response.text())`)).toBe("TypeError");
      expect(await attempt(`fetch(${url}, { credentials: "include" }).then((response) => response.text())`)).toBe(
        "TypeError",
      );
    });

    it("cannot use a secret key, even if it knows one", async () => {
      const { secret_key } = on.svc.instances[0]!;
      const headers = JSON.stringify({ "x-service-secret-key": secret_key });
      const url = JSON.stringify(`${on.svc.url}/api/v1/users`);
      expect(await attempt(`fetch(${url}, { headers: ${headers} }).then((response) => response.text())`)).toBe(
        "TypeError",
      );
    });

    it("cannot delete a user", async () => {
      const { secret_key, url: base } = on.svc.instances[0]!;
      const headers = { "x-service-secret-key": secret_key };
      const list = async (): Promise<{ id: string }[]> =>
        (await fetch(`${on.svc.url}/api/v1/users`, { headers })).json() as Promise<{ id: string }[]>;
      const [user] = await list();
      for (const origin of [on.svc.url, base]) {
        const url = JSON.stringify(`${origin}/api/v1/users/${user!.id}`);
        expect(await attempt(`fetch(${url}, { method: "DELETE", headers: ${JSON.stringify(headers)} })`)).toBe(
          "TypeError",
        );
      }
      expect((await list()).length).toBe(4);
    });

    it.each(["/", "/api/v1/users", "/__svc/signed-in?token=x"])(
      "cannot even request %s without reading it",
      async (path) => {
        const url = JSON.stringify(on.svc.url + path);
        expect(await attempt(`fetch(${url}, { mode: "no-cors" }).then((response) => response.type)`)).toBe("TypeError");
        const script = `Object.assign(document.createElement("script"), { src: ${url}, onload: () => resolve("loaded"), onerror: () => resolve("refused") })`;
        expect(await attempt(`new Promise((resolve) => document.body.append(${script}))`)).toBe("refused");
      },
    );

    it("can read discovery and the address of an instance whose publishable key it has", async () => {
      const { publishable_key, url, subdomain, id } = on.svc.instances[0]!;
      const headers = JSON.stringify({ "x-service-publishable-key": publishable_key });
      const search = JSON.stringify(
        `${on.svc.api_url}/api/v1/instances/search?query=publishable_key:${publishable_key}`,
      );
      expect(await attempt(`fetch(${search}, { headers: ${headers} }).then((response) => response.json())`)).toEqual({
        id,
        resource: "instance",
        data: { publishable_key, url, subdomain },
      });
      const discovery = JSON.stringify(`${url}/.well-known/openid-configuration`);
      expect(await attempt(`fetch(${discovery}).then((response) => response.json())`)).toMatchObject({ issuer: url });
    });

    it("T25: gets no window of the dashboard that it opens", async () => {
      await on.page.goto(on.app.origin);
      const opened = on.page.waitForEvent("popup");
      await on.page.evaluate(`window.popup = open(${JSON.stringify(`${on.svc.url}/__svc/`)})`);
      const dashboard = await opened;
      await dashboard.waitForLoadState();
      expect(await dashboard.evaluate("window.opener")).toBeNull();
      // From here on it could only be told that the window is closed, which it is not.
      await expect.poll(() => on.page.evaluate("window.popup.closed")).toBe(true);
      expect(dashboard.isClosed()).toBe(false);
    });

    it("cannot open a sign-in and look into it", async () => {
      await on.page.goto(on.app.origin);
      const opened = on.page.waitForEvent("popup");
      await on.page.evaluate(`window.popup = open(${JSON.stringify(on.authorizeUrl("google"))})`);
      await (await opened).getByTestId("account-ada").waitFor();
      expect(await attemptHere("popup.document.title")).toBe("SecurityError");
      // Applications show the picker in a popup, which sends them its result.
      expect(await attemptHere("popup.closed")).toBe(false);

      async function attemptHere(script: string): Promise<unknown> {
        return on.page.evaluate(`(() => { try { return ${script} } catch (error) { return error.name } })()`);
      }
    });
  });
});
