import { Secret, TOTP } from "otpauth";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { invite } from "../../src/console/auth/invitations.ts";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { openRoom } from "../../src/console/parts/incident-work.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY } from "../../src/lib/instant.ts";
import { type WrittenNote, writeNote } from "../../src/monitor/alerts/actions/write-note.ts";
import type { Incident } from "../../src/monitor/model/incident.ts";
import { faultsOfPages } from "./faults-of-page.ts";
import { makeAnIncident, makeAStory } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = systemClock.now();
const PASSWORD = "four words in a row";

describe.skipIf(!hasBrowser("the pages of people"))("pages of people, and the search", () => {
  let web: TestConsole;
  let browser: Browser;
  let invitation: string;
  let incident: Incident;
  let room: string;

  beforeAll(async () => {
    web = await startTestConsole(NOW, { deps: { mailsPeople: true } });
    const { crisis, single } = await makeAStory(web.stores, NOW);
    incident = await makeAnIncident(web.stores, { ...crisis, lastSeenAt: NOW }, [single]);
    await workOn(incident);
    const parts = { stores: web.stores, namesOfFile: [], now: NOW };
    await addUser(parts, {
      name: "ann",
      role: "admin",
      email: "ann@acme.example",
      password: PASSWORD,
      by: "test",
    });
    await addUser(parts, { name: "bob", role: "viewer", email: null, password: null, by: "ann" });
    const invited = await invite(parts, "bob", DAY);
    invitation = invited.outcome === "Done" ? invited.path : "";
    await web.stores.slackPeople.link({
      ...{ teamId: "T1", userId: "U0ANN", nameKey: "ann", slackName: "Ann", linkedAt: NOW },
    });
    await web.stores.views.add({
      ...{ id: "0199b2c4-7d1a-7000-8000-000000000001", nameKey: "bob", title: "Fires", isShared: true },
      ...{ address: "/mentions?contains=fire", createdAt: NOW },
    });
    await web.stores.views.add({
      ...{ id: "0199b2c4-7d1a-7000-8000-000000000002", nameKey: "bob", title: "Our week", isShared: true },
      ...{ address: "/insights?last=7d", createdAt: NOW },
    });
    await web.stores.authorLists.put({
      ...{ id: "0199b2c4-7d1a-7000-8000-000000000003", list: "VIP", author: "ann", name: "Ann", site: null },
      ...{ note: "Call her first", actor: { via: "page", login: "ann", typed: null }, at: NOW },
    });
    browser = await openBrowser();
  });

  /** Two statements, and a link for outsiders. */
  async function workOn(of: Incident): Promise<void> {
    const by = { via: "page", login: "ann", typed: null } as const;
    const work = { stores: web.stores, by, now: NOW };
    let seen: string | null = null;
    const write = async (note: WrittenNote) => {
      const done = await web.stores.transaction((facts) => writeNote(facts, of, note, by, NOW));
      if (done.outcome === "Done" && note.kind === "statement") seen = done.note.id;
    };
    for (const text of ["We are looking into it.", "Flights to the north are late.\nWe rebook for free."])
      await write({ kind: "statement", status: "Holding statement out", text, seen });
    await write({ kind: "comment", status: null, text: "The desk at gate B14 knows more." });
    const opened = await openRoom(work, of, DAY);
    room = opened.outcome === "Done" ? opened.path : "";
  }

  afterAll(async () => {
    await browser?.close();
    await web.close();
  });

  test("axe finds nothing, at three widths, light and dark", async () => {
    const faults = await faultsOfPages(browser, async (page, look) => {
      const see = async (path: string, name: string) => {
        await page.goto(`${web.url}${path}`);
        await look(name);
      };
      await see("/login", "login");
      await see(invitation, "invitation");
      await see("/invitations/none", "invitation-gone");
      await see("/login/oidc/callback", "oidc-fault");
      await see(room, "room");
      await see("/rooms/none", "room-gone");
      await page.goto(`${web.url}/login`);
      await page.fill("#username", "ann");
      await page.fill("#password", PASSWORD);
      await page.click("button[type=submit]");
      for (const [path, name] of [
        ["/account", "account"],
        ["/users", "users"],
        [`/incidents/${incident.id}`, "incident"],
        [`/incidents/${incident.id}/review`, "review"],
        ["/audit", "audit"],
        ["/views?save=%2Fmentions%3Fcontains%3Dbaggage", "views"],
        ["/lists?author=bo", "lists"],
        ["/mentions?contains=the+OR+a&language=en", "search"],
        ["/mentions?contains=%28open", "search-fault"],
      ] as const)
        await see(path, name);
      await page.goto(`${web.url}/account`);
      await page.click("text=Get a code for Slack");
      await look("account-slack");
      await page.goto(`${web.url}/account`);
      await page.fill("form[action='/account/second-factor'] input[type=password]", PASSWORD);
      await page.click("text=Set it up");
      await look("account-factor");
    });
    expect(faults).toEqual([]);
  }, 120_000);

  test("by keyboard alone: a second factor is set up, and a login asks for its code", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const type = async (text: string) => {
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    await page.goto(`${web.url}/login`);
    await page.focus("#username");
    await page.keyboard.type("ann");
    await page.keyboard.press("Tab");
    await type(PASSWORD);
    await page.waitForURL(`${web.url}/`);
    await page.goto(`${web.url}/account`);
    await page.focus("form[action='/account/second-factor'] input[type=password]");
    await type(PASSWORD);
    await page.waitForSelector(".qr svg");
    const secret = ((await page.textContent("code.secret")) ?? "").replaceAll(" ", "");
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    await page.focus("input[name=code]");
    await type(app.generate({ timestamp: systemClock.now() }));
    await page.waitForSelector(".codes li");
    const recovery = (await page.textContent(".codes li")) ?? "";
    await context.clearCookies();
    await page.goto(`${web.url}/login?next=/account`);
    await page.focus("#username");
    await page.keyboard.type("ann");
    await page.keyboard.press("Tab");
    await type(PASSWORD);
    await page.waitForSelector("#code");
    // The field has the focus already.
    await type(recovery);
    await page.waitForURL("**/account");
    expect(await page.textContent("h1")).toBe("ann");
    await context.close();
  }, 60_000);
});
