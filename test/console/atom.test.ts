import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeAtom } from "../../src/console/atom.ts";
import { addToken } from "../../src/console/auth/access-tokens.ts";
import { addUser, changeUser } from "../../src/console/auth/manage-users.ts";
import { readDocument } from "../../src/feeds/kinds/rss/read-document.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import type { TokenScope } from "../../src/monitor/model/access-token.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { attacks } from "../fixtures/attacks.ts";
import { aMention } from "../mention.ts";
import { anAlert, PROJECT, storeMentions } from "./make-a-story.ts";
import { hasBrowser, openBrowser } from "./open-browser.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PUBLIC = "https://earshot.brand.example";
let web: TestConsole;
let alert: Alert;

beforeAll(async () => {
  web = await startTestConsole(NOW, { settings: { publicUrl: PUBLIC } });
  const { stores } = web;
  const queries = ["Aurora Air", "Northwind"].map((name, index) => ({
    ...{ projectId: PROJECT, queryId: String(index + 1), name, projectName: "P", timezone: "UTC" },
  }));
  await stores.queries.register(queries, NOW - DAY, NOW - DAY);
  await storeMentions(
    stores,
    [
      aMention({
        ...{
          queryId: "1",
          resourceId: "a/b",
          title: "A <b>headline</b>",
          text: "Tom & Jerry",
          sentiment: "negative",
        },
        ...{ url: "https://blog.example/1?a=1&b=2", author: "ann", publishedAt: NOW - 3 * MINUTE },
      }),
      aMention({
        ...{ queryId: "2", resourceId: "c", title: null, text: "\n Other\nlines" },
        url: "javascript:alert(1)",
      }),
    ],
    NOW,
  );
  alert = anAlert({ openedAt: NOW - MINUTE, queryName: "Aurora Air" });
  await stores.alerts.save([alert]);
  await stores.alerts.save([
    anAlert({ openedAt: NOW, queryId: "2", queryName: "Northwind", state: "pending", firedAt: null }),
  ]);
});
afterAll(() => web.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(web.url + path, { headers });
const entriesOf = async (path: string) => {
  const answer = await get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  expect(answer.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  return [...(await answer.text()).matchAll(/<entry>(.*?)<\/entry>/gs)].map(([, entry = ""]) => entry);
};

test("mentions have an id for ever, their own address, and nothing in them is markup", async () => {
  const [entry = "", other = ""] = await entriesOf("/mentions.atom");
  const both = entry.includes("Tom") ? [entry, other] : [other, entry];
  expect(both[0]).toContain("<id>tag:earshot.brand.example,2026:mentions/7/1/a%2Fb</id>");
  expect(both[0]).toContain("<title>A &lt;b&gt;headline&lt;/b&gt;</title>");
  expect(both[0]).toContain('<content type="text">Tom &amp; Jerry</content>');
  expect(both[0]).toContain('href="https://blog.example/1?a=1&amp;b=2"');
  expect(both[0]).toContain("<author><name>ann</name></author>");
  expect(both[0]).toContain("<published>2026-03-03T14:02:00.000Z</published>");
  expect(both[1]).toContain(`href="${PUBLIC}/why?of=c"`);
  expect(both[1]).toContain("<title>Other</title>");
  expect(both[1]).not.toContain("javascript:");
});

test("a feed has the mentions or alerts of one query, by its name or its id", async () => {
  for (const query of ["Aurora Air", "aurora air", "1"]) {
    expect(await entriesOf(`/mentions.atom?query=${encodeURIComponent(query)}`)).toHaveLength(1);
    expect(await entriesOf(`/alerts.atom?query=${encodeURIComponent(query)}`)).toHaveLength(1);
  }
  expect(await entriesOf("/mentions.atom?sentiment=negative")).toHaveLength(1);
  expect(await entriesOf("/alerts.atom?query=Northwind")).toHaveLength(0);
  expect((await get("/alerts.atom?query=Nobody")).status).toBe(404);
});

test("an alert is one entry from its beginning to its end, and is new again at its end", async () => {
  const [open = ""] = await entriesOf("/alerts.atom");
  expect(open).toContain(`<id>tag:earshot.brand.example,2026:alerts/${alert.id}</id>`);
  expect(open).toContain(`href="${PUBLIC}/alerts/${alert.id}"`);
  expect(open).toContain("<updated>2026-03-03T14:04:00.000Z</updated>");
  expect(open).toContain('<category term="critical"/>');
  // Growing is no news.
  const grown = { ...alert, mentions: 40, lastSeenAt: NOW };
  await web.stores.alerts.save([grown]);
  expect((await entriesOf("/alerts.atom"))[0]).toContain("<updated>2026-03-03T14:04:00.000Z</updated>");
  await web.stores.alerts.save([{ ...grown, state: "resolved", resolvedAt: NOW + 2 * MINUTE }]);
  const entries = await entriesOf("/alerts.atom");
  expect(entries).toHaveLength(1);
  const [ended = ""] = entries;
  expect(ended).toContain(`<id>tag:earshot.brand.example,2026:alerts/${alert.id}</id>`);
  expect(ended).toContain("<title>Resolved: ");
  expect(ended).toContain("<published>2026-03-03T14:04:00.000Z</published>");
  expect(ended).toContain("<updated>2026-03-03T14:07:00.000Z</updated>");
  expect(ended).toContain('<category term="resolved"/>');
});

test("a reader that has a feed gets it again only when it has changed", async () => {
  const first = await get("/alerts.atom");
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
  for (const known of [etag, `"x", ${etag}`, etag.replace("W/", ""), "*"]) {
    const again = await get("/alerts.atom", { "if-none-match": known });
    expect([known, again.status, await again.text()]).toEqual([known, 304, ""]);
    expect(again.headers.get("etag")).toBe(etag);
  }
  await web.stores.alerts.save([anAlert({ openedAt: NOW, queryName: "Aurora Air" })]);
  const changed = await get("/alerts.atom", { "if-none-match": etag });
  expect([changed.status, changed.headers.get("etag") === etag]).toEqual([200, false]);
});

describe("who may read it", () => {
  let closed: TestConsole;
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    closed = await startTestConsole(NOW);
    const parts = { stores: closed.stores, namesOfFile: [], now: Date.now() };
    await addUser(parts, {
      name: "ann",
      role: "viewer",
      email: null,
      password: "four words in a row",
      by: "x",
    });
    for (const scope of ["atom", "read", "metrics"] as const satisfies readonly TokenScope[]) {
      const asked = { user: "ann", label: "reader", scope, lengthMs: DAY, now: Date.now() };
      const added = await addToken(closed.stores, asked);
      if (added.outcome === "Done") tokens.set(scope, added.text);
    }
  });
  afterAll(() => closed.close());
  const status = async (path: string, bearer?: string) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const answer = await fetch(closed.url + path, { headers });
    expect(await answer.text()).not.toContain("earshot_");
    return answer.status;
  };

  test("a token of its own, in the address or as other programs send it, opens it and nothing else", async () => {
    const token = tokens.get("atom") ?? "";
    for (const path of ["/alerts.atom", "/mentions.atom"]) {
      expect(await status(path)).toBe(401);
      expect(await status(`${path}?token=${token}`)).toBe(200);
      expect(await status(path, token)).toBe(200);
      expect(await status(`${path}?token=${token}x`)).toBe(401);
      expect(await status(`${path}?token=${token}&token=${token}`)).toBe(401);
      expect(await status(path, tokens.get("read"))).toBe(200);
      expect(await status(path, tokens.get("metrics"))).toBe(403);
      // A token that opens more does not belong into an address.
      expect(await status(`${path}?token=${tokens.get("read")}`)).toBe(401);
    }
    for (const path of ["/alerts.json", "/mentions.json", "/metrics"]) {
      expect(await status(`${path}?token=${token}`)).toBe(401);
      expect(await status(path, token)).toBe(403);
    }
  });

  test("it ends with its user", async () => {
    await changeUser({ stores: closed.stores, namesOfFile: [], now: Date.now() }, "ann", { do: "end" });
    expect(await status(`/alerts.atom?token=${tokens.get("atom")}`)).toBe(401);
  });
});

const hostile = attacks.map(({ text }, n) => ({
  ...{ id: ["mentions", String(n), text], title: text, author: text, url: `https://x.example/${n}?${text}` },
  ...{ published: NOW, updated: NOW, text, categories: [text] },
}));
const HOSTILE = writeAtom(
  {
    id: ["mentions"],
    title: attacks[0]?.text ?? "",
    self: "https://x/",
    page: "https://x/",
    entries: hostile,
  },
  "x.example",
);

test("our own reader of feeds finds in it what was written, also where texts are hostile", () => {
  const read = readDocument(HOSTILE, "https://x.example/feed");
  expect(read.items).toHaveLength(hostile.length);
});

describe.skipIf(!hasBrowser("feeds in Atom"))("a strict parser of XML", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  test("reads it whole, with every text as it was written", async () => {
    const page = await browser.newPage();
    const read = (await page.evaluate(`(() => {
      const parsed = new DOMParser().parseFromString(${JSON.stringify(HOSTILE)}, "application/xml");
      const texts = (name) => [...parsed.getElementsByTagName(name)].map((one) => one.textContent);
      return { faults: texts("parsererror"), root: parsed.documentElement.namespaceURI, texts: texts("content") };
    })()`)) as { faults: string[]; root: string; texts: string[] };
    expect(read).toMatchObject({ faults: [], root: "http://www.w3.org/2005/Atom" });
    expect(read.texts).toHaveLength(hostile.length);
    const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
    expect(read.texts.map(plain)).toEqual(hostile.map(({ text }) => plain(text)));
  });
});
