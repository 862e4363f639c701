import { describe, expect, test } from "vitest";
import { readDocument } from "../../src/feeds/kinds/rss/read-document.ts";
import { readAnswer } from "../../src/feeds/run/read-answer.ts";

const NOON = Date.UTC(2026, 10, 23, 12);
const rssItem = (inner: string) => `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"
  xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:dcterms="http://purl.org/dc/terms/"
  xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Blog</title><item><guid>1</guid>${inner}</item></channel></rss>`;
const entry = (inner: string, attributes = "") =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>Blog</title><entry><id>1</id>${inner}</entry></feed>`;
const escaped = (html: string) => html.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** The only item of a document. */
function one(document: string, headers?: Parameters<typeof readDocument>[2]) {
  const { items, problem } = readDocument(document, "https://blog.example/feed", headers);
  expect(problem).toBeNull();
  expect(items).toHaveLength(1);
  const [item] = items;
  const body = item?.body;
  return { ...item, text: body != null && "text" in body ? body.text : null };
}

describe("what stands behind an element without content is read", () => {
  test.each([
    ["<iframe/>", '<p>A</p><iframe src="https://v.example/1"/><p>B</p>', "A\n\nB"],
    ["<svg/>", "<p>A</p><svg/><p>B</p>", "A\n\nB"],
    ["<object/>", "<p>A</p><object/><p>B</p>", "A\n\nB"],
    ["<script/>", "<p>A</p><script src='x'/><p>B</p>", "A\n\nB"],
    ["an iframe without an end", "<p>A</p><iframe><p>B</p>", "A\n\nB"],
    ["an svg without an end", "<p>A</p><svg><p>B</p>", "A\n\nB"],
    ["an object without an end", "<p>A</p><object><p>B</p>", "A\n\nB"],
    ["one of two iframes without an end", "<iframe>x</iframe><p>A</p><iframe><p>B</p>", "A\n\nB"],
    ["an iframe without an end inside one with an end", "<iframe><iframe></iframe><p>B</p>", "B"],
    ["the text of an object", "<object data='x'><p>Instead</p></object><p>B</p>", "Instead\n\nB"],
    ["what is hidden stays so", "<svg><title>x</title></svg><iframe>y</iframe><p>B</p>", "B"],
    ["an svg in an svg", "<svg><svg>x</svg>y</svg><p>B</p>", "B"],
    ["code", "<style>p {}</style><script>a()</script><p>B</p>", "B"],
  ])("%s", (_name, html, text) => {
    expect(one(rssItem(`<description>${escaped(html)}</description>`)).text).toBe(text);
    expect(one(rssItem(`<content:encoded><![CDATA[${html}]]></content:encoded>`)).text).toBe(text);
    expect(one(entry(`<content type="html">${escaped(html)}</content>`)).text).toBe(text);
  });

  test("in XHTML of an entry, also with a prefix", () => {
    const html = '<p>A video:</p><iframe src="x"/><p>Acme kettles.</p>';
    expect(
      one(entry(`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${html}</div></content>`))
        .text,
    ).toBe("A video:\n\nAcme kettles.");
    const prefixed = '<h:p>A</h:p><h:iframe src="x"/><h:p>B &amp; C</h:p>';
    expect(
      one(
        entry(
          `<content type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml">${prefixed}</h:div></content>`,
        ),
      ).text,
    ).toBe("A\n\nB & C");
  });
});

describe("texts of an item", () => {
  test.each([
    ["description alone", "<description>A &amp;lt; B</description>", "A < B"],
    [
      "both, where they say different things",
      "<description>Acme sells kettles.</description><content:encoded>&lt;p&gt;The whole story, which is longer.&lt;/p&gt;</content:encoded>",
      "The whole story, which is longer.\n\nAcme sells kettles.",
    ],
    [
      "the whole text alone, where the other is its beginning",
      "<description>The whole […]</description><content:encoded>&lt;p&gt;The whole story.&lt;/p&gt;</content:encoded>",
      "The whole story.",
    ],
    ["itunes:summary", "<itunes:summary>Episode about Acme</itunes:summary>", "Episode about Acme"],
    ["itunes:subtitle", "<description>One</description><itunes:subtitle>Two</itunes:subtitle>", "One\n\nTwo"],
    ["media:description", "<media:description>A picture</media:description>", "A picture"],
    [
      "media in a group",
      "<media:group><media:content><media:title>Clip</media:title><media:description>Of Acme</media:description></media:content></media:group>",
      "Of Acme",
    ],
    ["dc:description", "<dc:description>By Dublin</dc:description>", "By Dublin"],
    ["a body of XHTML", '<body xmlns="http://www.w3.org/1999/xhtml"><p>A <em>b</em></p></body>', "A b"],
    ["a body with a prefix", '<x:body xmlns:x="http://www.w3.org/1999/xhtml"><x:p>A</x:p></x:body>', "A"],
    ["fullitem", "<fullitem>&lt;p&gt;Whole&lt;/p&gt;</fullitem>", "Whole"],
    ["HTML that is not escaped", "<description><p>A</p><p>B</p></description>", "A\n\nB"],
    ["CDATA in pieces", "<description><![CDATA[A]]> and <![CDATA[<b>B</b>]]></description>", "A and B"],
    ["a field without an end", "<title>T</title><description>A", "A"],
  ])("%s", (_name, inner, text) => {
    expect(one(rssItem(inner)).text).toContain(text);
  });

  test.each([
    ["text", '<content type="text">A &lt;b&gt; C</content>', "A <b> C"],
    ["no type, plain", "<content>1 &lt; 2</content>", "1 < 2"],
    ["no type, HTML", "<content>&lt;p&gt;A&lt;/p&gt;</content>", "A"],
    [
      "base64 by its media type",
      `<content type="application/octet-stream">${base64("Grüße")}</content>`,
      "Grüße",
    ],
    [
      "base64 by its mode",
      `<content type="text/html" mode="base64">${base64("<p>Über</p>")}</content>`,
      "Über",
    ],
    ["escaped by its mode", '<content type="text/html" mode="escaped">&lt;p&gt;A&lt;/p&gt;</content>', "A"],
    ["summary and content", "<summary>Alpha</summary><content>Longer beta</content>", "Longer beta\n\nAlpha"],
  ])("an entry: %s", (_name, inner, text) => {
    expect(one(entry(inner)).text).toBe(text);
  });

  test("a picture in base64 is nothing to read", () => {
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]).toString("base64");
    expect(one(entry(`<title>T</title><content type="image/png">${picture}</content>`)).text).toBeNull();
  });

  test.each([
    ["a tag of a language", "std::vector&lt;int&gt;", "std::vector<int>"],
    ["a tag of HTML", "A &lt;em&gt;b&lt;/em&gt;", "A b"],
    ["an address with &copy", "a?x=1&copy=2", "a?x=1&copy=2"],
    ["CDATA", "<![CDATA[Q & A]]>", "Q & A"],
    ["numbers of Windows-1252", "&#146;tis", "’tis"],
  ])("a title with %s", (_name, title, read) => {
    expect(one(rssItem(`<title>${title}</title>`)).title).toBe(read);
  });

  test.each([
    ["dc:title", "<dc:title>T</dc:title>", { title: "T" }],
    ["media:title", "<media:title>T</media:title>", { title: "T" }],
    ["itunes:author", "<title>T</title><itunes:author>Ann</itunes:author>", { author: "Ann" }],
    [
      "dc:creator with a mail address",
      "<title>T</title><dc:creator>a@b.example (Ann)</dc:creator>",
      { author: "Ann" },
    ],
    ["dc:author", "<title>T</title><dc:author>Ann</dc:author>", { author: "Ann" }],
    [
      "dcterms:created",
      "<title>T</title><dcterms:created>2026-11-23T12:00:00Z</dcterms:created>",
      { publishedAt: NOON },
    ],
    [
      "a bad date before a good one",
      "<title>T</title><pubDate>soon</pubDate><dc:date>2026-11-23T12:00:00Z</dc:date>",
      { publishedAt: NOON },
    ],
    [
      "a time before now",
      "<title>T</title><pubDate>vor 3 Stunden</pubDate>",
      { publishedAt: null, publishedAgoMs: 10_800_000 },
    ],
    ["a link of Atom", '<title>T</title><atom:link href="/1"/>', { url: "https://blog.example/1" }],
  ])("%s is read", (_name, inner, expected) => {
    expect(one(rssItem(inner))).toMatchObject(expected);
  });

  test("an entry without an author has that of its feed", () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><author><name>Ann</name></author>
      <entry><id>1</id><title>T</title><source><title>Other</title><author><name>Bob</name></author></source></entry></feed>`;
    expect(one(feed)).toMatchObject({ author: "Ann", title: "T" });
  });
});

describe("declared languages", () => {
  test.each([
    ["xml:lang of the feed", entry("<title>T</title>", 'xml:lang="de-AT"'), "de"],
    [
      "xml:lang of the entry's text",
      entry('<title>T</title><content xml:lang="fr">x</content>', 'xml:lang="de"'),
      "fr",
    ],
    ["dc:language of an item", rssItem("<title>T</title><dc:language>nl</dc:language>"), "nl"],
    [
      "language of a channel",
      "<rss><channel><language>en-us</language><item><title>T</title></item></channel></rss>",
      "en",
    ],
    [
      "language behind the items",
      "<rss><channel><item><title>T</title></item><language>sv</language></channel></rss>",
      "sv",
    ],
    ["none", rssItem("<title>T</title>"), "da"],
    [
      "of an item of a JSON feed",
      '{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","language":"pt-BR","title":"T"}]}',
      "pt",
    ],
  ])("%s", (_name, document, language) => {
    expect(one(document, { language: "da, en" }).language).toBe(language);
  });
});

describe("addresses", () => {
  const link = '<title>T</title><link href="1"/>';
  test.each([
    ["xml:base of the feed", entry(link, 'xml:base="https://a.example/x/"'), "https://a.example/x/1"],
    [
      "xml:base of the link, relative",
      entry('<title>T</title><link xml:base="y/" href="1"/>', 'xml:base="https://a.example/x/"'),
      "https://a.example/x/y/1",
    ],
    ["xml:base that is none", entry(link, 'xml:base="http://"'), "https://c.example/z/1"],
    ["Content-Location", entry(link), "https://c.example/z/1"],
    [
      "a guid that is the page",
      "<rss><channel><item><title>T</title><guid isPermaLink='true'>p/1</guid></item></channel></rss>",
      "https://c.example/z/p/1",
    ],
  ])("%s", (_name, document, url) => {
    expect(one(document, { location: "https://c.example/z/feed" }).url).toBe(url);
  });
});

describe("documents", () => {
  test.each([
    ["an empty channel", "<rss version='2.0'><channel></channel></rss>"],
    ["an empty rss", "<rss></rss>"],
    ["an rss without content", "<rss/>"],
    ["an empty Atom feed", '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>'],
    ["an empty RDF", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF>'],
    ["an empty JSON feed", '{"version":"https://jsonfeed.org/version/1","title":"x","items":[]}'],
  ])("%s is a feed without items", (_name, document) => {
    expect(readDocument(document, "https://a.example/")).toEqual({
      ...{ items: [], leftOut: 0, problem: null, usualLength: null, links: { hub: null, self: null } },
    });
  });

  test.each([
    [
      "a root with a prefix",
      '<r:rss xmlns:r="http://a.example/unknown"><r:channel><r:item><r:title>T</r:title></r:item></r:channel></r:rss>',
    ],
    ["items without a channel", "<rss><item><title>T</title></item></rss>"],
    ["a last tag without its end", "<rss><channel><item><title>T</title></item></channel></rss"],
    ["an item without its end", "<rss><channel><item><title>T</title></channel></rss>"],
    ["capitals", "<RSS><Channel><Item><TITLE>T</Title></ITEM></Channel></rss>"],
    ["junk before it", "\ufeff  Warning: x\n<rss><channel><item><title>T</title></item></channel></rss>"],
    ["prefixes that nobody declared", "<rss><channel><item><dc:title>T</dc:title></item></channel></rss>"],
    [
      "a prefix of its own for Atom",
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>T</a:title></a:entry></a:feed>',
    ],
    [
      "a picture with a title of its own",
      "<rss><channel><image><title>I</title></image><item><title>T</title></item></channel></rss>",
    ],
  ])("%s is read", (_name, document) => {
    expect(one(document).title).toBe("T");
  });

  test("a second item begins where the first has lost its end", () => {
    const { items } = readDocument(
      "<rss><channel><item><title>A</title><item><title>B</title></item></channel></rss>",
      "https://a.example/",
    );
    expect(items.map(({ title }) => title)).toEqual(["A", "B"]);
  });
});

describe("bytes", () => {
  const read = async (bytes: Buffer, contentType = "application/xml") => {
    const { answer } = await readAnswer({
      ...{ bytes, status: 200, url: "https://a.example/feed", contentType, reads: "document" },
    });
    return answer?.document?.items[0]?.title;
  };
  const document = (title: string) => `<rss><channel><item><title>${title}</title></item></channel></rss>`;
  const withBadByte = (title: string) =>
    Buffer.concat([
      Buffer.from(document(title).replace("</title>", "")),
      Buffer.from([0xfc]),
      Buffer.from("</title>"),
    ]);

  test("one bad byte is one unknown character, whatever charset is announced", async () => {
    const broken = Buffer.concat([
      Buffer.from("<rss><channel><item><title>Grüße, Müller"),
      Buffer.from([0xfc]),
      Buffer.from("</title></item></channel></rss>"),
    ]);
    for (const type of ["application/xml", "text/xml; charset=iso-8859-1", "text/xml; charset=utf-8"])
      expect(await read(broken, type)).toBe("Grüße, Müller\ufffd");
    expect(withBadByte("x").includes(0xfc)).toBe(true);
  });

  test("a document of another charset stays one", async () => {
    expect(await read(Buffer.from(document("Grüße, Müller"), "latin1"))).toBe("Grüße, Müller");
    expect(await read(Buffer.from(document("Grüße, Müller"), "latin1"), "text/xml; charset=iso-8859-1")).toBe(
      "Grüße, Müller",
    );
    const koi8 = Buffer.from(document("??").replaceAll("?", "\u00d0"), "latin1");
    expect(await read(koi8, "text/xml; charset=koi8-r")).toBe("пп");
  });

  test("UTF-32 is read, with and without a mark", async () => {
    const points = [...document("Grüße 😀")].map((letter) => letter.codePointAt(0) ?? 0);
    const [big, little] = [Buffer.alloc(points.length * 4), Buffer.alloc(points.length * 4)];
    points.forEach((point, index) => {
      big.writeUInt32BE(point, index * 4);
      little.writeUInt32LE(point, index * 4);
    });
    for (const bytes of [big, little, Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), little])])
      expect(await read(bytes)).toBe("Grüße 😀");
  });
});

describe("a picture says its description, where it stands", () => {
  test.each([
    [
      "a description",
      '<p>Look:</p><img src="x" alt="An Acme kettle"><p>B</p>',
      "Look:\n\nAn Acme kettle\n\nB",
    ],
    ["an emoji in a line", 'so good <img class="emoji" alt="🙂"/> tea', "so good 🙂 tea"],
    ["entities", "<img alt='Tom &amp; &quot;Jerry&quot; &#x2014; tea'>", 'Tom & "Jerry" — tea'],
    ["no quotes, capitals", "A <IMG ALT=kettle> B", "A kettle B"],
    ["an empty one", '<img src="x" alt="">A<img src="y">', "A"],
    ["an attribute of another name", '<img data-alt="x" title="y">A', "A"],
    ["one of another element", '<p alt="x">A</p>', "A"],
    ["one in what is hidden", '<noscript><img alt="x"></noscript>A', "A"],
    ["a tag without an end", '<p>A</p><img alt="x', "A"],
    ["markup in it", '<img alt="<b>x</b>">A', "<b>x</b> A"],
  ])("%s", (_name, html, text) => {
    expect(one(rssItem(`<description>${escaped(html)}</description>`)).text).toBe(text);
  });

  test("of any length, in time", () => {
    const html = `<img alt="${"x".repeat(2_000_000)}">${'<img alt="y">'.repeat(100_000)}`;
    expect(one(rssItem(`<description>${escaped(html)}</description>`)).text?.startsWith("xxx")).toBe(true);
  });
});

describe("the categories of an item are searched with its text", () => {
  const media = "<media:keywords>tea, kettle recall</media:keywords>";
  test.each([
    [
      "of RSS",
      rssItem("<description>A</description><category>Kettle recall</category><category>Tea</category>"),
      "A\n\nKettle recall, Tea",
    ],
    [
      "in CDATA, with entities",
      rssItem("<description>A</description><category><![CDATA[Tom & tea]]></category>"),
      "A\n\nTom & tea",
    ],
    [
      "of Dublin Core and media",
      rssItem(`<description>A</description><dc:subject>Pots</dc:subject>${media}`),
      "A\n\nPots, tea, kettle recall",
    ],
    [
      "of Atom: the label, or else the term",
      entry('<content>A</content><category term="x" label="Kettles"/><category term="tea"/>'),
      "A\n\nKettles, tea",
    ],
    [
      "that the text or the title names already, or twice",
      rssItem(
        "<title>Tea time</title><description>A kettle</description><category>KETTLE</category><category>tea</category><category>Pot</category><category>Pot</category>",
      ),
      "A kettle\n\nPot",
    ],
    ["beside a title alone", rssItem("<title>A</title><category>Pot</category>"), "Pot"],
    [
      "too long to be one",
      rssItem(`<description>A</description><category>${"x".repeat(101)}</category>`),
      "A",
    ],
  ])("%s", (_name, document, text) => {
    expect(one(document).text).toBe(text);
  });

  test("of a JSON feed, and they alone are no text", () => {
    const feed = (item: object) =>
      JSON.stringify({ version: "jsonfeed", title: "Blog", items: [{ id: "1", ...item }] });
    expect(one(feed({ content_text: "A", tags: ["Pots", 7, "Tea"] })).text).toBe("A\n\nPots, Tea");
    expect(one(feed({ url: "https://blog.example/1", tags: ["Pots"] })).text).toBeNull();
  });
});
