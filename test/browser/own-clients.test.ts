import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import * as openid from "openid-client";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, settled, type Dashboard } from "../_dashboard.ts";
import { issuerAt } from "../_own-clients.ts";

describe.skipIf(CHROMIUM === undefined && !process.env["CI"])(
  "An application with openid-client, at the simulated Google,",
  () => {
    let on: Dashboard;
    let origin: string;

    beforeAll(async () => {
      on = await openDashboard();
      const app = express();
      const listening = app.listen(0, "127.0.0.1");
      await once(listening, "listening");
      origin = `http://localhost:${(listening.address() as AddressInfo).port}`;
      const redirect_uri = `${origin}/callback`;
      const client = {
        provider: "google",
        client_id: "shop",
        client_secret: "the-secret",
        redirect_uris: [redirect_uri],
      };
      const instance = on.svc.instances[0]!.subdomain;
      expect((await on.control(`POST /instances/${instance}/clients`, client)).status).toBe(201);
      const plainHttp = { execute: [openid.allowInsecureRequests] };
      const issuer = new URL(issuerAt(on.svc, "google"));
      const config = await openid.discovery(issuer, client.client_id, client.client_secret, undefined, plainHttp);
      openid.enableNonRepudiationChecks(config);
      // Of the one browser's sign-in.
      let checks = { expectedState: "", expectedNonce: "" };
      app.get("/sign-in", (_request, response) => {
        checks = { expectedState: openid.randomState(), expectedNonce: openid.randomNonce() };
        const asked = { redirect_uri, scope: "openid email", state: checks.expectedState, nonce: checks.expectedNonce };
        response.redirect(openid.buildAuthorizationUrl(config, asked).href);
      });
      app.get("/callback", async (request, response) => {
        const tokens = await openid.authorizationCodeGrant(config, new URL(request.url, origin), checks);
        response.send(`signed in as ${JSON.stringify(tokens.claims()?.["email"])}`);
      });
      app.use(((error: Error, _request, response, _next) => {
        response.status(500).send(`refused: ${error.message}`);
      }) as express.ErrorRequestHandler);
      return async () => {
        listening.close();
        await on.close();
      };
    });

    /** What the application shows at the end. */
    async function signIn(choose: (page: Dashboard["page"]) => Promise<void>): Promise<string> {
      const page = await on.context.newPage();
      await page.goto(`${origin}/sign-in`);
      expect(await page.getByTestId("destination").textContent()).toBe(origin);
      await choose(page);
      await page.waitForURL(`${origin}/callback**`);
      const text = (await page.locator("body").textContent()) ?? "";
      await page.close();
      return text;
    }

    it("signs in whom a person chooses, and shows the client in the dashboard", async () => {
      expect(await signIn((page) => page.getByTestId("account-ada").click())).toBe('signed in as "ada@acme.test"');
      const [flow] = (await on.control("GET /flows")).body;
      await on.visit(`flows/${flow.id}`);
      await settled(on.page);
      await on.page.locator(".facts > div").filter({ hasText: "Client" }).getByText("shop").waitFor();
      expect(await on.page.getByText("Replay…").count()).toBe(0);
      expect(await on.page.locator("li").filter({ hasText: "/google/token → 200" }).count()).toBeGreaterThan(0);
      await on.visit("flows");
      await on.page.getByTestId("row").first().getByText("Ada Lovelace").waitFor();
      expect(on.faults).toEqual([]);
    });

    it("is told when a person cancels", async () => {
      expect(await signIn((page) => page.getByTestId("cancel").click())).toMatch(/^refused: /);
      const [flow] = (await on.control("GET /flows")).body;
      expect(flow.data).toMatchObject({ error: "access_denied", client_id: "shop" });
    });

    it("refuses an id_token that a person chose to be wrong, and is offered no end that svc alone has", async () => {
      const shown = await signIn(async (page) => {
        await page.getByTestId("outcomes").click();
        expect(await page.getByTestId("outcome-state_expired").count()).toBe(0);
        await page.getByTestId("outcome-wrong_nonce").click();
        await page.getByTestId("account-ada").click();
      });
      expect(shown).toMatch(/^refused: .*(nonce|JWT)/);
    });
  },
);
