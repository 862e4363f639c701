import { describe, expect, test } from "vitest";
import { rss } from "../../src/feeds/kinds/rss.ts";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { fetchOnce, plannedOf, testFeed } from "../contracts/feed.ts";
import { type RssItem, rssDocument, withFeedServer } from "../fakes/feed-server.ts";
import { answerOf } from "./reader.ts";

const items: RssItem[] = [1, 2, 3].map((n) => ({
  ...{ guid: `id-${n}`, title: `Title ${n}`, link: `https://blog.example/${n}`, html: `<p>Text ${n}</p>` },
  date: new Date(systemClock.now()).toUTCString(),
}));

testFeed("rss", {
  ids: ["id-1", "id-2", "id-3"],
  setUp(server) {
    server.pages.set("/feed", { body: rssDocument(items) });
    return { kind: "rss", urls: [`${server.url}/feed`] };
  },
  addOne(server) {
    server.pages.set("/feed", { body: rssDocument([{ ...items[0], guid: "id-4" }, ...items]) });
    return "id-4";
  },
});

/** What the reader makes of a document. */
function read(body: string) {
  const reader = rss.read?.({ id: "x", name: "x", url: "https://blog.example/feed" }, SETTINGS, null, 0);
  reader?.next([]);
  const step = reader?.next([answerOf(body, "document")]);
  if (step?.done !== true) throw new Error("it asks for more");
  return step.value;
}
const SETTINGS = { kind: "rss" as const, urls: [], allowPrivateAddress: false };
const rssOf = (inner: string, head = "") => `${head}<rss version="2.0"><channel>${inner}</channel></rss>`;

describe("documents", () => {
  test("RSS, Atom, RDF and JSON give the same fields", () => {
    const documents = [
      rssOf(`<title>S</title><item><guid>1</guid><title>T</title><link>https://a.example/1</link>
        <description>&lt;p&gt;x&lt;/p&gt;</description><pubDate>Mon, 23 Nov 2026 12:00:00 GMT</pubDate>
        <author>ann@a.example (Ann)</author></item>`),
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>S</title><entry><id>1</id><title>T</title>
        <link rel="self" href="https://a.example/self"/><link href="https://a.example/1"/>
        <content type="html">&lt;p&gt;x&lt;/p&gt;</content><published>2026-11-23T12:00:00Z</published>
        <author><name>Ann</name></author></entry></feed>`,
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>S</title></channel><item rdf:about="1">
        <title>T</title><link>https://a.example/1</link><description>&lt;p&gt;x&lt;/p&gt;</description>
        <dc:date>2026-11-23T12:00:00Z</dc:date><dc:creator>Ann</dc:creator></item></rdf:RDF>`,
      JSON.stringify({
        ...{ version: "https://jsonfeed.org/version/1.1", title: "S" },
        items: [
          {
            ...{ id: "1", title: "T", url: "https://a.example/1", content_html: "<p>x</p>" },
            ...{ date_published: "2026-11-23T12:00:00Z", authors: [{ name: "Ann" }] },
          },
        ],
      }),
    ];
    for (const document of documents)
      expect(read(document).items).toMatchObject([
        {
          ...{
            id: "1",
            title: "T",
            url: "https://a.example/1",
            body: { text: "x" },
            author: "Ann",
            site: "S",
          },
          ...{ publishedAt: Date.UTC(2026, 10, 23, 12), scope: "blog.example" },
        },
      ]);
  });

  test.each([
    ["a stray &", "<item><title>Q & A</title><guid>1</guid></item>", "Q &  A"],
    ["tags that do not match", "<item><title>a</title><guid>1</guid><b></item>", "a"],
    ["HTML entities", "<item><title>caf&eacute;</title><guid>1</guid></item>", "café"],
    [
      "HTML in a title",
      "<item><title>a &lt;b&gt;b&lt;/b&gt; &amp;amp; c</title><guid>1</guid></item>",
      "a b & c",
    ],
    ["a relative address", "<item><title>t</title><link>/p/1</link></item>", "t"],
  ])("%s is read", (_name, item, title) => {
    expect(read(rssOf(item)).items.map((one) => one.title?.replace(/\s+/g, " "))).toEqual([
      title.replace(/\s+/g, " "),
    ]);
  });

  test("an entity bomb stays small, and a file of this machine is not read", () => {
    const levels = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
      "",
    );
    const bomb = `<!DOCTYPE x [<!ENTITY l0 "lol">${levels}]>`;
    const started = monotonicMs();
    const found = read(rssOf("<item><title>&l9;</title><guid>1</guid></item>", bomb)).items;
    expect(JSON.stringify(found).length).toBeLessThan(1_000);
    expect(monotonicMs() - started).toBeLessThan(3_000);
    const outside = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>';
    expect(read(rssOf("<item><title>&f;</title><guid>1</guid></item>", outside)).items).toMatchObject([
      { title: "&f;" },
    ]);
  });

  test("a web page is named as such, with the address of its feed if it has one", () => {
    expect(() => read("<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>")).toThrow(
      "a web page is at this address, not a feed (",
    );
    expect(() =>
      read('<html><head><link rel="alternate" type="application/rss+xml" href="/rss.xml"></head></html>'),
    ).toThrow("its feed is at /rss.xml");
  });

  test("broken off anywhere, it gives the whole items before that place, and no others", () => {
    const whole = rssDocument(items);
    for (let cut = 0; cut < whole.length; cut += 7) {
      const expected = (whole.slice(0, cut).match(/<\/item>/g) ?? []).length;
      let found = 0;
      try {
        const outcome = read(whole.slice(0, cut));
        found = outcome.items.length;
        if (expected < items.length) expect(outcome.problem).toContain("breaks off");
      } catch (error) {
        expect(error).toMatchObject({ name: "FeedError" });
      }
      expect(found, `cut at ${cut}`).toBe(expected);
    }
  });
});

test.each([
  ["of one page, such as a list of changes", { link: "https://acme.example/changes" }, "Version"],
  ["of no page, with one title", {}, "Update"],
])("items without an id %s, are told apart", (_name, more, title) => {
  const itemOf = (n: number): RssItem => ({
    ...{ title: title === "Update" ? title : `${title} ${n}`, html: `<p>Acme ${n}</p>` },
    date: new Date(Date.UTC(2026, 10, n)).toUTCString(),
    ...more,
  });
  const ids = (numbers: readonly number[]) =>
    read(rssDocument(numbers.map(itemOf))).items.map(({ id }) => id);
  expect(new Set(ids([3, 2, 1])).size).toBe(3);
  // The others keep theirs when one comes.
  expect(ids([4, 3, 2, 1]).slice(1)).toEqual(ids([3, 2, 1]));
});

test("items of one page without an id keep theirs where their dates are others at every fetch", () => {
  const ids = (seconds: number) =>
    read(
      rssDocument(
        [1, 2].map((n) => ({
          ...{ title: `Version ${n}`, link: "https://acme.example/changes" },
          date: new Date(Date.UTC(2026, 10, n, 0, 0, seconds)).toUTCString(),
        })),
      ),
    ).items.map(({ id }) => id);
  expect(ids(1)).toEqual(ids(0));
});

test("a server that says that nothing has changed, though nobody asked, is a problem", () =>
  withFeedServer(async (server) => {
    server.pages.set("/feed", { status: 304 });
    const feed = plannedOf({ kind: "rss", urls: [`${server.url}/feed`] });
    const said = "it answers that nothing has changed (status 304), although nobody has asked that";
    await expect(fetchOnce(feed)).rejects.toThrow(said);
    // A server that gives nothing to recognise its answer by cannot know either.
    server.pages.set("/feed", { body: rssDocument(items) });
    const { state } = await fetchOnce(feed);
    server.pages.set("/feed", { status: 304 });
    await expect(fetchOnce(feed, state)).rejects.toThrow(said);
  }));

test("a secret in the address of a feed is not in its name", () => {
  const nameOf = (url: string) => plannedOf({ kind: "rss", urls: [url] }).name;
  expect(nameOf("https://git.example/acme.atom?feed_token=s3cret&state=opened")).toBe(
    "git.example/acme.atom?feed_token=…&state=opened",
  );
  for (const name of [
    "token",
    "private_token",
    "api_key",
    "apikey",
    "key",
    "secret",
    "password",
    "auth",
    "sig",
  ])
    expect(nameOf(`https://a.example/feed?${name}=s3cret`)).toBe(`a.example/feed?${name}=…`);
  expect(nameOf("https://a.example/search.rss?q=acme%20corp&sort=new&keyword=x")).toBe(
    "a.example/search.rss?q=acme%20corp&sort=new&keyword=x",
  );
});

test("an OPML file names feeds, nested or not; another file is refused", () => {
  const parts = (text: string) =>
    rss
      .parts({ ...SETTINGS, opml: "feeds.opml" }, { queries: [], readFile: () => text })
      .map(({ url }) => url);
  expect(
    parts(`<opml version="2.0"><head/><body><outline text="News"><outline text="a" type="rss" xmlUrl="https://a.example/feed"/>
      </outline><outline text="b" xmlUrl="https://b.example/feed"/><outline text="c" xmlUrl="javascript:x"/></body></opml>`),
  ).toEqual(["https://a.example/feed", "https://b.example/feed"]);
  const written = ["feed://c.example/feed", "feed:https://d.example/feed", "feed://https://e.example/feed"];
  expect(parts(written.map((url) => `<outline xmlUrl="${url}"/>`).join(""))).toEqual([
    "http://c.example/feed",
    "https://d.example/feed",
    "https://e.example/feed",
  ]);
  expect(() => parts("<html></html>")).toThrow("feeds.opml is no OPML file");
});
