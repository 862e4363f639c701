import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS, decideAccess } from "../../src/console/auth/access.ts";
import { invite } from "../../src/console/auth/invitations.ts";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { openRoom } from "../../src/console/parts/incident-work.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY } from "../../src/lib/instant.ts";
import { signText } from "../../src/lib/signed-text.ts";
import { listDigests } from "../../src/monitor/digest/list-digests.ts";
import { planDigests } from "../../src/monitor/digest/planned-digest.ts";
import { signAlertLink } from "../../src/monitor/model/alert-action.ts";
import type { UserRole } from "../../src/monitor/model/user.ts";
import { createPreviews } from "../../src/monitor/notify/previews/create-previews.ts";
import { createUnsubscribing } from "../../src/monitor/notify/view/signed-links.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { sampleDigestViews } from "../../src/monitor/templates/sample-digest-views.ts";
import { toComms } from "../lab/backtest/notify-config.ts";
import { oneBySeed } from "../one-by-seed.ts";
import { faultsOfPages } from "./faults-of-page.ts";
import { type FeedConsoles, openFeedConsoles } from "./feed-consoles.ts";
import { makeAnIncident, makeAStory } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { SPIKE_RULE } from "./rule-stories.ts";
import { SECRET, type TestConsole } from "./start-test-console.ts";

const NOW = systemClock.now();
const PASSWORD = "four words in a row";
const ROLES: readonly UserRole[] = ["viewer", "responder", "editor", "admin"];

/** Of the table of routes: no pages for people. */
const NO_PAGES =
  /\.(?:json|jsonl|csv|xlsx|atom|svg|pdf|css|js)$|\/(?:html|yaml)$|^\/(?:assets|inbox\/|healthz|readyz|metrics|live|coverage|feeds|login\/oidc$)/;

describe.skipIf(!hasBrowser("every page"))("every page", () => {
  let all: FeedConsoles;
  let web: TestConsole;
  let browser: Browser;
  let folder: string;
  /** By route: one address of it, or several. */
  let pages: Readonly<Record<string, readonly string[]>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "earshot-pages-"));
    await writeFile(join(folder, "complaints.yaml"), SPIKE_RULE);
    const templates = join(folder, "templates");
    await cp("templates/slack", join(templates, "slack"), { recursive: true });
    all = await openFeedConsoles();
    const renderer = await createRenderer({ folder: "templates" });
    const digests = planDigests([
      {
        ...{ name: "morning-read", at: 480, timezone: "Europe/Berlin", language: "en", queries: ["*"] },
        ...{ receivers: [{ name: "comms" }, { name: "board" }], skipQuiet: false },
      },
    ]);
    web = await all.start({ editRules: true, editTemplates: true, editSetup: true }, false, {
      ...{ folder, templates },
      notifyConfig: toComms(),
      defaults: ({ stored }) => ({
        unsubscribing: createUnsubscribing({ stores: stored, secret: SECRET, clock: systemClock }),
        previews: createPreviews({
          renderer,
          digests: () => listDigests(digests, NOW),
          editionOf: stored.digests.body,
          contentOf: async () => null,
        }),
      }),
    });
    pages = await fill(web);
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await all?.close();
    await rm(folder, { recursive: true });
  });

  async function fill({ stores, inbox }: TestConsole): Promise<typeof pages> {
    const { crisis, single, over } = await makeAStory(stores, NOW);
    const incident = await makeAnIncident(stores, { ...crisis, lastSeenAt: NOW }, [single]);
    const by = { via: "page", login: "admin", typed: null } as const;
    const room = await openRoom({ stores, by, now: NOW }, incident, DAY);
    const edition = {
      ...{ name: "morning-read", localDate: "2026-03-03", dueAt: NOW, period: { from: NOW - DAY, to: NOW } },
      before: { from: NOW - 2 * DAY, to: NOW - DAY },
    };
    await stores.digests.announce(edition);
    await stores.digests.settle(edition, "built", sampleDigestViews[0]);
    await stores.mentionCounts.countStale();
    const message = { receivedAt: NOW, headers: [], text: "The mood has turned.\nSee what is said." };
    inbox.push(
      {
        ...{
          ...message,
          kind: "email",
          id: "mail",
          from: "earshot@brand.example",
          to: ["press@brand.example"],
        },
        ...{ subject: "[WARNING] Acme: the mood has turned", messageId: null },
        html: "<!doctype html><html lang=en><title>A mail</title><body><p>The mood has turned.</p></body></html>",
      },
      {
        ...{
          ...message,
          kind: "slack",
          id: "s",
          channel: "C1",
          channelName: "crisis",
          ts: "1.0",
          threadTs: null,
        },
        ...{ blocks: [], editedAt: null },
      },
    );
    await stores.authorLists.put({
      ...{ id: "0199b2c4-7d1a-7000-8000-000000000003", list: "VIP", author: "ann", name: "Ann", site: null },
      ...{ note: "Call her first", actor: { via: "page", login: "admin", typed: null }, at: NOW },
    });
    const parts = { stores, namesOfFile: [], now: NOW };
    for (const role of ROLES)
      await addUser(parts, { name: role, role, email: null, password: PASSWORD, by: "test" });
    await addUser(parts, { name: "new", role: "viewer", email: null, password: null, by: "admin" });
    const invited = await invite(parts, "new", DAY);
    const link = signAlertLink(SECRET, { alertId: crisis.id, action: "acknowledge", by: "desk" }, NOW);
    const subscription = signText(
      SECRET,
      "unsubscribe",
      { digest: "morning-read", receiver: "board" },
      8.64e15,
    );
    return {
      "GET /": ["/"],
      "GET /alerts": ["/alerts", "/alerts?state=open"],
      "GET /alerts/:id": [`/alerts/${crisis.id}`, `/alerts/${single.id}`, `/alerts/${over.id}`],
      "GET /incidents/:id": [`/incidents/${incident.id}`],
      "GET /incidents/:id/review": [`/incidents/${incident.id}/review`],
      "GET /mentions": ["/mentions?query=4", "/mentions?contains=window+OR+desk&query=4"],
      "GET /insights": ["/insights?last=24h"],
      "GET /insights/speakers": ["/insights/speakers"],
      "GET /insights/stories": ["/insights/stories"],
      "GET /insights/response": ["/insights/response"],
      "GET /why": ["/why?of=courier-1", "/why?of=nothing"],
      "GET /health": ["/health"],
      "GET /digests": ["/digests"],
      "GET /lists": ["/lists?author=ann"],
      "GET /inbox": ["/inbox", `/inbox?${new URLSearchParams({ place: "email:press@brand.example" })}`],
      "GET /preview": ["/preview", "/preview?template=email/alert.txt"],
      "GET /silences": ["/silences"],
      "GET /rules": ["/rules"],
      "GET /rules/:id": ["/rules/complaints"],
      "GET /rules/try": ["/rules/try"],
      "GET /rules/:id/try": ["/rules/complaints/try"],
      "GET /templates": ["/templates"],
      "GET /templates/edit": [
        "/templates/edit?name=email/alert.html",
        "/templates/edit?name=slack/alert-about.mrkdwn",
      ],
      "GET /views": ["/views?save=%2Fmentions%3Fcontains%3Dbaggage"],
      "GET /setup": ["/setup"],
      "GET /account": ["/account"],
      "GET /users": ["/users"],
      "GET /audit": ["/audit"],
      "GET /login": ["/login"],
      "GET /login/oidc/callback": ["/login/oidc/callback"],
      "GET /act/:link": [`/act/${link}`],
      "GET /unsubscribe/*": [`/unsubscribe/${subscription}`],
      "GET /invitations/:code": [invited.outcome === "Done" ? invited.path : ""],
      "GET /rooms/:secret": [room.outcome === "Done" ? room.path : ""],
    };
  }

  async function logIn(page: Page, name: string): Promise<void> {
    await page.goto(`${web.url}/login`);
    await page.fill("#username", name);
    await page.fill("#password", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL(`${web.url}/`);
  }

  test("the walk below has every page of the table of routes", () => {
    const routes = Object.keys(ACCESS).filter((route) => {
      const [method, path = ""] = route.split(" ");
      return method === "GET" && !NO_PAGES.test(path);
    });
    expect(Object.keys(pages).toSorted()).toEqual(routes.toSorted());
  });

  test("axe finds nothing, at three widths, light and dark", async () => {
    const faults = await faultsOfPages(browser, async (page, look) => {
      await logIn(page, "admin");
      for (const [route, addresses] of Object.entries(pages))
        for (const [n, address] of addresses.entries()) {
          if (LOOKED_AT_ELSEWHERE.has(route)) continue;
          await page.goto(`${web.url}${address}`);
          await look(nameOf(route, n));
        }
    });
    expect(faults).toEqual([]);
  }, 180_000);

  test.each(oneBySeed(ROLES, 0))(
    "a %s reaches all that a page offers by keyboard, and a screen reader has a name for it",
    async (role) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await logIn(page, role);
      const faults: string[] = [];
      for (const [route, addresses] of Object.entries(pages)) {
        const access = ACCESS[route];
        const isOpen = decideAccess(access, { role, scope: null }) === "Allowed";
        for (const address of addresses) {
          const answer = await page.goto(`${web.url}${address}`);
          const status = answer?.status() ?? 0;
          if (access !== "Public" && isOpen !== (status !== 403)) faults.push(`${route}: answered ${status}`);
          const found = [
            ...(await faultsOfTree(page)),
            ...(await faultsOfForms(page, role)),
            ...(await faultsOfKeyboard(page, role)),
          ];
          faults.push(...found.map((fault) => `${address}: ${fault}`));
        }
      }
      await context.close();
      expect(faults).toEqual([]);
    },
    180_000,
  );
});

/** Axe looks at them where they have more to show. */
const LOOKED_AT_ELSEWHERE: ReadonlySet<string> = new Set([
  ...["GET /incidents/:id", "GET /incidents/:id/review", "GET /views", "GET /account", "GET /users"],
  ...["GET /audit", "GET /login", "GET /login/oidc/callback", "GET /invitations/:code", "GET /rooms/:secret"],
  ...["GET /insights", "GET /insights/speakers", "GET /insights/stories", "GET /insights/response"],
  "GET /mentions",
]);

function nameOf(route: string, n: number): string {
  const name = route
    .replace(/^GET \//, "")
    .replaceAll(/[^a-z]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `${name === "" ? "overview" : name}${n === 0 ? "" : `-${n + 1}`}`;
}

interface TreeNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[];
}

const NAMED: ReadonlySet<string> = new Set([
  ...["button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "listbox"],
  ...["heading", "image", "img", "Iframe", "navigation", "region", "DisclosureTriangle"],
]);

/** What a screen reader would not know how to call, and how the page is built up. */
async function faultsOfTree(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send("Accessibility.getFullAXTree")) as { nodes: readonly TreeNode[] };
  await session.detach();
  const shown = nodes.filter(({ ignored }) => !ignored);
  const roleOf = (node: TreeNode) => node.role?.value ?? "";
  const unnamed = shown
    .filter((node) => NAMED.has(roleOf(node)) && (node.name?.value ?? "").trim() === "")
    .map((node) => `a ${roleOf(node)} without a name`);
  const count = (fits: (node: TreeNode) => boolean) => shown.filter(fits).length;
  const mains = count((node) => roleOf(node) === "main");
  const titles = count(
    (node) =>
      roleOf(node) === "heading" &&
      (node.properties ?? []).some(({ name, value }) => name === "level" && value.value === 1),
  );
  return [
    ...unnamed,
    ...(mains === 1 ? [] : [`${mains} main parts`]),
    ...(titles === 1 ? [] : [`${titles} headings of level 1`]),
  ];
}

/** Nobody is offered what would be refused. */
async function faultsOfForms(page: Page, role: UserRole): Promise<readonly string[]> {
  const actions = await page.locator("form[method=post], button[formaction]").evaluateAll((forms) =>
    forms.map((form) => {
      const { attributes } = form as unknown as { attributes: Record<string, { value: string } | undefined> };
      const to = attributes["formaction"]?.value ?? attributes["action"]?.value ?? "";
      // Without an address it is sent to where the page is.
      return to === "" ? (globalThis as unknown as { location: { pathname: string } }).location.pathname : to;
    }),
  );
  return actions.flatMap((action) => {
    const [path = ""] = action.split("?");
    const route = Object.keys(ACCESS).find((one) => one.startsWith("POST ") && patternOf(one).test(path));
    if (route === undefined) return [`a form to ${action}, which is no route`];
    return decideAccess(ACCESS[route], { role, scope: null }) === "Allowed"
      ? []
      : [`a form that ${role} may not send: ${action}`];
  });
}

function patternOf(route: string): RegExp {
  return new RegExp(
    `^${route
      .replace("POST ", "")
      .replaceAll(/:[a-z]+/g, "[^/]+")
      .replace("*", ".+")}$`,
  );
}

const MORE_STOPS = 80;
/** What was walked through, by its address and its stops. */
const walked = new Set<string>();

/** Each Tab goes to the next thing that can be used, which shows that it has the focus; none is left out. */
async function faultsOfKeyboard(page: Page, role: UserRole): Promise<readonly string[]> {
  const wanted = (await page.evaluate(`(() => {
    window.reached = [];
    const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
    const usable = [...all].filter((one) => !one.disabled && one.type !== "hidden" && one.tabIndex >= 0
      && one.checkVisibility({ visibilityProperty: true }) && !(one.type === "radio" && !one.checked));
    usable.forEach((one, n) => { one.dataset.stop = String(n); });
    document.addEventListener("focusin", ({ target }) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      window.reached.push([target.dataset.stop ?? "", outlineStyle !== "none" && outlineWidth !== "0px"]);
    });
    return usable.map((one) => one.outerHTML.slice(0, 120));
  })()`)) as readonly string[];
  // Most pages offer two roles the same.
  const way = [new URL(page.url()).pathname, ...wanted].join("\n").replaceAll(role, "");
  if (walked.has(way)) return [];
  walked.add(way);
  let seen: ReadonlyMap<string, boolean> = new Map();
  // What a frame holds is walked through, too, and what a page fetches meanwhile.
  for (let n = 0; n <= wanted.length + MORE_STOPS && wanted.some((_, at) => !seen.has(String(at))); n++) {
    await page.keyboard.press("Tab");
    if (n >= wanted.length - 1)
      seen = new Map((await page.evaluate("window.reached")) as readonly (readonly [string, boolean])[]);
  }
  return wanted.flatMap((markup, n) => {
    const isShown = seen.get(String(n));
    if (isShown === undefined) return [`Tab does not reach ${markup}`];
    return isShown ? [] : [`the focus is not seen on ${markup}`];
  });
}
