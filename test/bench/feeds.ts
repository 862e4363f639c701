import type { FeedReader } from "../../src/feeds/common/define-feed.ts";
import { textOfHtml } from "../../src/feeds/common/text-of-html.ts";
import { walkXml } from "../../src/feeds/kinds/rss/walk-xml.ts";
import { openReader } from "../../src/feeds/run/open-reader.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { readFeeds } from "../../src/feeds/run/read-feeds.ts";
import { toArrived } from "../../src/feeds/run/to-arrived.ts";
import type { Issue } from "../../src/lib/errors.ts";
import { DAY, toIso } from "../../src/lib/instant.ts";
import { noEnrichment } from "../feeds/no-enricher.ts";

/**
 * Items that a processor second takes through each reader and on to a mention, beside the bare parser (the walk over XML, or
 * JSON.parse) over the same documents. Documents are read in a thread, whose time counts. Nothing is fetched or stored; `local-api-import.ts` measures storing. Times are
 * processor time, the median of the rounds.
 */
const ITEMS = 300;
const ROUNDS = 15;
const now = Date.UTC(2026, 10, 23, 12);
const html = `<p>The kettle of Acme &amp; Sons is <b>sold</b> again.</p><ul><li>One</li><li>Two</li></ul>${"<p>More words about it.</p>".repeat(20)}`;
const ids = Array.from({ length: ITEMS }, (_, n) => n + 1);

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Blog</title>${ids
  .map(
    (n) =>
      `<item><guid>id-${n}</guid><title>Title ${n}</title><link>https://blog.example/${n}?utm_source=x</link>` +
      `<pubDate>Mon, 23 Nov 2026 12:00:00 GMT</pubDate><description><![CDATA[${html}]]></description></item>`,
  )
  .join("")}</channel></rss>`;
const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>${ids
  .map(
    (n) =>
      `<entry><id>id-${n}</id><title>Title ${n}</title><link href="https://blog.example/${n}"/>` +
      `<updated>2026-11-23T12:00:00Z</updated><content type="html"><![CDATA[${html}]]></content></entry>`,
  )
  .join("")}</feed>`;
const json = JSON.stringify({
  version: "https://jsonfeed.org/version/1.1",
  title: "Blog",
  items: ids.map((n) => ({
    ...{ id: `id-${n}`, url: `https://blog.example/${n}`, title: `Title ${n}`, content_html: html },
    date_published: "2026-11-23T12:00:00Z",
  })),
});
const stories = ids.map((id) =>
  JSON.stringify({ id, type: "comment", by: "ann", time: now / 1_000, text: html }),
);

const articles = JSON.stringify({
  articles: ids.slice(0, 240).map((n) => ({
    ...{
      url: `https://news.example/${n}`,
      url_mobile: "",
      title: `Acme ' s kettle , number ${n}`,
      socialimage: "",
    },
    ...{ seendate: "20261123T113000Z", domain: "news.example", language: "German", sourcecountry: "Austria" },
  })),
});
const posts = JSON.stringify(
  ids.map((n) => ({
    ...{
      id: String(1_000 + n),
      uri: `https://m.example/users/ann/statuses/${n}`,
      url: `https://m.example/@ann/${n}`,
    },
    ...{
      created_at: toIso(now),
      visibility: "public",
      language: "en",
      content: html,
      spoiler_text: "",
      reblog: null,
    },
    ...{
      in_reply_to_id: null,
      account: { acct: "ann", display_name: "Ann Lee", url: "https://m.example/@ann" },
    },
    ...{ replies_count: 1, reblogs_count: 2, favourites_count: 3 },
  })),
);
const videos = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><title>TV</title>${ids
  .map(
    (n) =>
      `<entry><id>yt:video:${n}</id><title>Title ${n}</title><link href="https://www.youtube.com/watch?v=${n}"/>` +
      `<published>2026-11-23T11:00:00Z</published><media:group><media:description>${"More words about it.\n".repeat(25)}` +
      `</media:description><media:community><media:starRating count="10"/></media:community></media:group></entry>`,
  )
  .join("")}</feed>`;
const seconds = now / 1_000;
const questions = JSON.stringify({
  items: ids.map((n) => ({
    ...{
      question_id: n,
      title: `Acme &amp; kettle ${n}`,
      body: html,
      link: `https://so.example/${n}`,
      score: 3,
    },
    ...{ creation_date: seconds - n, last_activity_date: seconds - n, owner: { display_name: "Ann Lee" } },
  })),
  has_more: false,
});
const issuesFound = JSON.stringify({
  items: ids.map((n) => ({
    ...{
      id: n,
      url: `https://api.github.com/repos/a/b/issues/${n}`,
      html_url: `https://github.com/a/b/issues/${n}`,
    },
    ...{
      title: `Title ${n}`,
      body: html,
      created_at: toIso(now),
      updated_at: toIso(now),
      user: { login: "ann" },
    },
  })),
});

function bareXml(document: string): number {
  let items = 0;
  walkXml(document.slice(document.search(/<(?:rss|feed)/)), {
    base: "https://blog.example/",
    onItem: () => items++,
  });
  return items;
}

const threads = openReader();
const { signal } = new AbortController();

/** Runs a reader with these bodies as answers, in turn, read as those of strangers are. */
async function run(reader: FeedReader, rounds: readonly (readonly string[])[]) {
  let step = reader.next([]);
  for (const bodies of rounds) {
    const wanted = step.done === true ? [] : step.value;
    const answers = bodies.map((body, index) => {
      const bytes = new Uint8Array(Buffer.from(body));
      const fetched = { status: 200, url: "https://blog.example/feed", header: () => null, bytes };
      return threads.readAnswer(fetched, wanted[index]?.reads, signal);
    });
    step = reader.next(await Promise.all(answers));
  }
  if (step.done !== true) throw new Error("it asks for more");
  return step.value.items;
}

function plan(written: object) {
  const queries = [{ name: "Acme", text: "acme", languages: [] }];
  const issues: Issue[] = [];
  const feeds = readFeeds({ listen: { queries, feeds: [written] } }, issues);
  const [feed] = planFeeds({ feeds, queries });
  if (feed?.definition.read === undefined) throw new Error("it is fetched");
  const { part, definition, settings } = feed;
  return { definition, read: () => definition.read?.(part, settings, null, now) as FeedReader };
}

async function perSecond(work: () => unknown): Promise<number> {
  // A thread has compiled nothing yet.
  for (let round = 0; round < ROUNDS; round++) await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(from);
    times.push((user + system) / 1_000_000);
  }
  times.sort((a, b) => a - b);
  return ITEMS / (times[Math.floor(ROUNDS / 2)] ?? 1);
}

const rssPlan = plan({ kind: "rss", urls: ["https://blog.example/feed"] });
const hn = plan({ kind: "hacker-news", baseUrl: "https://hn.example/v0" });
const tv = plan({ kind: "youtube", channels: ["UC_x5XG1OV2P6uZZ5FSM9Ttw"] });
const hnAnswers = [["150", '{"items":[]}'], stories.slice(0, 150)];
const cases = [
  {
    name: "RSS",
    bare: () => bareXml(rss),
    items: () => run(rssPlan.read(), [[rss]]),
    kind: rssPlan.definition,
    share: 1,
  },
  {
    name: "Atom",
    bare: () => bareXml(atom),
    items: () => run(rssPlan.read(), [[atom]]),
    kind: rssPlan.definition,
    share: 1,
  },
  {
    name: "JSON feed",
    bare: () => JSON.parse(json),
    items: () => run(rssPlan.read(), [[json]]),
    kind: rssPlan.definition,
    share: 1,
  },
  {
    ...{ name: "Hacker News", bare: () => stories.slice(0, 150).map((text) => JSON.parse(text)) },
    ...{ items: () => run(hn.read(), hnAnswers), kind: hn.definition, share: 0.5 },
  },
  jsonCase("News", { kind: "news" }, articles, [], 0.8),
  jsonCase("Mastodon", { kind: "mastodon", server: "m.example", tags: ["acme"] }, posts),
  {
    ...{ name: "YouTube", bare: () => bareXml(videos), share: 1 },
    ...{ items: () => run(tv.read(), [[videos]]), kind: tv.definition },
  },
  jsonCase("Stack Exch.", { kind: "stack-exchange", sites: ["so"] }, questions, ['{"items":[]}']),
  jsonCase("GitHub", { kind: "github", search: "acme" }, issuesFound, ['{"items":[]}']),
];

/** A reader of one JSON document with the items, and of others without. */
function jsonCase(name: string, written: object, body: string, rest: readonly string[] = [], share = 1) {
  const { definition, read } = plan(written);
  const rounds = [body, ...rest].map((one) => [one]);
  return { name, bare: () => JSON.parse(body), items: () => run(read(), rounds), kind: definition, share };
}

console.log(
  `${ITEMS} items of ${html.length} characters of HTML; items a processor second, median of ${ROUNDS}`,
);
console.log(
  `${"".padEnd(14)}${"bare parser".padStart(14)}${"reader".padStart(14)}${"to mention".padStart(14)}`,
);
for (const { name, bare, items, kind, share } of cases) {
  const around = { kind, fetchedAt: now, keepFrom: now - 90 * DAY, enrich: noEnrichment };
  const toMentions = async () => (await items()).map((item) => toArrived(item, around));
  let line = name.padEnd(14);
  for (const work of [bare, items, toMentions])
    line += Math.round((await perSecond(work)) * share)
      .toLocaleString("en-US")
      .padStart(14);
  console.log(line);
}
console.log(
  `text of HTML: ${Math.round(await perSecond(() => ids.map(() => textOfHtml(html)))).toLocaleString("en-US")} texts a second`,
);
await threads.close();
