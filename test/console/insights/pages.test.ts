import { DateTime } from "luxon";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { eventAt, type Mention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";
import { ATTACKS, PROJECT, storeMentions } from "../make-a-story.ts";
import { startTestConsole, type TestConsole } from "../start-test-console.ts";

/** Two days after clocks changed in Berlin. */
const NOW = Date.parse("2026-03-31T10:05:00Z");
const ZONE = "Europe/Berlin";
let web: TestConsole;
let mentions: readonly Mention[];

beforeAll(async () => {
  web = await startTestConsole(NOW);
  const query = (queryId: string, name: string) => ({
    projectId: PROJECT,
    queryId,
    name,
    projectName: "Brands",
    timezone: ZONE,
  });
  await web.stores.queries.register(
    [query("1", "Acme"), query("2", `Rival ${ATTACKS[0]}`)],
    NOW - HOUR,
    NOW - HOUR,
  );
  mentions = Array.from({ length: 600 }, (_, n) => {
    const publishedAt = NOW - n * 47 * MINUTE - 1;
    return aMention({
      ...{ resourceId: `m${n}`, queryId: n % 3 === 0 ? "2" : "1", publishedAt, addedAt: publishedAt },
      sentiment: ["negative", "neutral", "positive", "negative", null][n % 5] ?? null,
      author: n % 7 === 0 ? (ATTACKS[n % ATTACKS.length] ?? null) : `@author${n % 11}`,
      ...{ domain: n > 300 ? "old.example" : `Site${n % 4}.example`, language: n % 2 === 0 ? "de" : "en" },
      ...{ country: "Germany", pageType: "news", reach: n % 2 === 0 ? 100 : null },
      ...{ text: ATTACKS[n % ATTACKS.length] ?? null, followers: n % 9 === 0 ? n : null },
      categories:
        n % 5 === 0 || n > 214 ? [] : [{ id: "1", name: "Price", parentId: "9", parentName: "Service" }],
    });
  });
  await storeMentions(web.stores, mentions, NOW, storyOf);
  await web.stores.mentionCounts.countStale();
});
afterAll(() => web.close());

/** Two in five mentions share one of four texts. */
function storyOf({ resourceId }: Mention): string {
  const n = Number(resourceId.slice(1));
  return n % 10 < 4 ? `story${n % 4}` : resourceId;
}

const page = async (path: string) => {
  const answer = await fetch(`${web.url}${path}`, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(200);
  return answer.text();
};
const json = async (path: string) => (await fetch(`${web.url}${path}`)).json() as Promise<never>;

/** The table behind a chart: rows of cells, as a reader without scripts sees it. */
function tableOf(markup: string, id: string): { readonly link: string; readonly cells: readonly string[] }[] {
  const table = markup.split(`id="${id}-numbers"`)[1]?.split("</table>")[0] ?? "";
  return table
    .split("<tr>")
    .slice(2)
    .map((row) => ({
      link: (row.match(/href="([^"]+)"/)?.[1] ?? "").replaceAll("&amp;", "&"),
      cells: [...row.matchAll(/<t[dh][^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, text]) => text ?? ""),
    }));
}

test("the numbers of the volume are those of the mentions, by day of the zone, also over a change of clocks", async () => {
  const rows = tableOf(await page("/insights?last=7d"), "volume");
  const dayOf = (at: number) => DateTime.fromMillis(at, { zone: ZONE, locale: "en" }).toFormat("ccc d LLL");
  expect(rows.map(({ cells }) => cells[0])).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((days) =>
      dayOf(DateTime.fromMillis(NOW, { zone: ZONE }).minus({ days }).toMillis()),
    ),
  );
  for (const { cells } of rows) {
    const own = mentions.filter(
      (mention) => dayOf(eventAt(mention)) === cells[0] && eventAt(mention) > NOW - 8 * DAY,
    );
    const of = (queryId: string) => own.filter((mention) => mention.queryId === queryId).length;
    expect(cells.slice(1, 4)).toEqual([of("1"), of("2"), own.length].map(String));
  }
});

test("the mood, the share of voice and the period before are counted from the mentions", async () => {
  const isIn = (mention: Mention, days: number) =>
    eventAt(mention) >= weekOf(days).from && eventAt(mention) < weekOf(days).to;
  const now = mentions.filter((mention) => isIn(mention, 0));
  const before = mentions.filter((mention) => isIn(mention, 7));
  const volume = (await json("/insights.json?last=7d")) as {
    total: number;
    before: number;
    mood: unknown;
    voices: unknown[];
  };
  const of = (some: readonly Mention[], sentiment: string | null) =>
    some.filter((one) => one.sentiment === sentiment).length;
  expect(volume).toMatchObject({
    ...{ total: now.length, before: before.length },
    mood: {
      ...{ negative: of(now, "negative"), neutral: of(now, "neutral") },
      ...{ positive: of(now, "positive"), unknown: of(now, null) },
    },
    voices: ["1", "2"].map((queryId) => ({
      queryId,
      total: now.filter((one) => one.queryId === queryId).length,
      before: before.filter((one) => one.queryId === queryId).length,
      negative: of(
        now.filter((one) => one.queryId === queryId),
        "negative",
      ),
    })),
  });
});

test("each row leads to just the mentions that it counts", async () => {
  for (const of of [
    "",
    "&query=2",
    "&domain=site1.example",
    "&author=author3",
    "&language=de&query=1",
    "&country=Germany&type=NEWS",
  ]) {
    const [, yesterday] = tableOf(await page(`/insights?last=7d${of}`), "volume");
    const { mentions: listed } = (await json((yesterday?.link ?? "").replace("?", ".json?"))) as {
      mentions: unknown[];
    };
    expect([of, String(listed.length)]).toEqual([of, yesterday?.cells.at(-2)]);
  }
});

test("several filters at once: the numbers are those of the mentions that have all of them, and of the time before", async () => {
  const { from, to } = weekOf(0);
  const before = weekOf(7);
  const chosen: [string, (mention: Mention) => boolean][] = [
    ["language=de&domain=site1.example", (one) => one.language === "de" && one.domain === "Site1.example"],
    ["author=author3&sentiment=negative", (one) => one.author === "@author3" && one.sentiment === "negative"],
    [
      "category=Service&language=en&query=1",
      (one) => one.categories.length > 0 && one.language === "en" && one.queryId === "1",
    ],
    ["sentiment=positive", (one) => one.sentiment === "positive"],
    ["country=Germany&type=blog", () => false],
  ];
  for (const [of, isMeant] of chosen) {
    const [own, past] = [{ from, to }, before].map((span) =>
      mentions.filter((one) => isMeant(one) && eventAt(one) >= span.from && eventAt(one) < span.to),
    ) as [Mention[], Mention[]];
    const volume = (await json(`/insights.json?last=7d&${of}`)) as Record<string, unknown>;
    expect([of, volume]).toEqual([
      of,
      expect.objectContaining({ total: own.length, before: past.length, isCut: false, isCompared: true }),
    ]);
    const rows = tableOf(await page(`/insights?last=7d&${of}`), "volume");
    const counted = rows.map(({ cells }) => Number(cells.at(-2)));
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(own.length);
    const link = rows.find((_, index) => (counted[index] ?? 0) > 0)?.link;
    if (link !== undefined) {
      const listed = (await json(link.replace("?", ".json?"))) as { mentions: unknown[] };
      expect(listed.mentions).toHaveLength(counted.find((n) => n > 0) ?? 0);
    }
    const speakers = (await json(`/insights/speakers.json?last=7d&${of}`)) as {
      facet: string;
      values: number;
      newValues: number;
      rows: { value: string; mentions: number; before: number }[];
    }[];
    const authorOf = ({ author }: Mention) => author?.replace(/^@+/, "") ?? null;
    const authors = new Set(own.map(authorOf));
    const earlier = new Set(past.map(authorOf));
    const [byAuthor] = speakers;
    expect(byAuthor).toMatchObject({
      facet: "author",
      values: authors.size,
      newValues: [...authors].filter((one) => !earlier.has(one)).length,
    });
    for (const row of byAuthor?.rows ?? [])
      expect([row.mentions, row.before]).toEqual(
        [own, past].map((some) => some.filter((one) => authorOf(one) === row.value).length),
      );
    const stories = (await json(`/insights/stories.json?last=7d&${of}`)) as {
      story: string;
      mentions: number;
    }[];
    for (const { story, mentions: n } of stories)
      expect(n).toBe(own.filter((one) => storyOf(one) === story).length);
    const told = new Map<string, number>();
    for (const one of own) told.set(storyOf(one), (told.get(storyOf(one)) ?? 0) + 1);
    expect(stories).toHaveLength([...told.values()].filter((n) => n >= 3).length);
  }
});

test("of too many mentions with several filters the newest are counted, and the page says so", async () => {
  const small = await startTestConsole(NOW, {
    databaseUrl: web.databaseUrl,
    defaults: ({ stored }) => {
      const { filteredCounts } = stored;
      const plan: typeof filteredCounts.plan = (queries, filters, periods) =>
        filteredCounts.plan(queries, filters, periods, 100);
      return { stored: { ...stored, filteredCounts: { ...filteredCounts, plan } } };
    },
  });
  try {
    const of = "last=7d&language=de&country=Germany";
    const volume = await (await fetch(`${small.url}/insights.json?${of}`)).json();
    const { range, total, isCut, isCompared } = volume as {
      range: { moments: number[] };
      total: number;
      isCut: boolean;
      isCompared: boolean;
    };
    const since = range.moments[0] ?? 0;
    const own = mentions.filter(
      (one) => one.language === "de" && eventAt(one) >= since && eventAt(one) < weekOf(0).to,
    );
    expect([total, isCut, isCompared]).toEqual([own.length, true, false]);
    expect(own.length).toBeGreaterThan(20);
    expect(since).toBeGreaterThan(weekOf(0).from);
    for (const path of ["/insights", "/insights/speakers", "/insights/stories"]) {
      const markup = await (await fetch(`${small.url}${path}?${of}`)).text();
      expect(markup).toContain("of so many only the newest ones");
      expect(markup).toContain("compared with nothing");
      expect(markup).not.toContain("none before");
    }
  } finally {
    await small.close();
  }
});

test("each filter can be taken away, and goes along to the other pages", async () => {
  const markup = await page("/insights?last=7d&language=de&country=Germany");
  expect(markup).toContain(`href="/insights?last=7d&amp;country=Germany"`);
  expect(markup).toContain(`href="/insights?last=7d&amp;language=de"`);
  expect(markup).toContain(`href="/insights/speakers?last=7d&amp;language=de&amp;country=Germany"`);
  expect(markup).toContain(`<input name="country" value="Germany"`);
  const speakers = await page("/insights/speakers?last=7d&language=de");
  expect(speakers).toMatch(/href="\/insights\?last=7d&amp;language=de&amp;author=[^"]+"/);
  expect(await page("/insights/response?last=7d&language=de")).toContain("here all alerts count");
});

test("a chart is a drawing with links, hidden from those who have the table", async () => {
  const markup = await page("/insights?last=24h&query=1");
  const [svg = ""] = markup.match(/<svg class="columns" id="volume"[\s\S]*?<\/svg>/) ?? [];
  expect(svg).toContain('aria-hidden="true"');
  expect(svg.match(/<g data-from/g)).toHaveLength(24);
  for (const [link] of svg.matchAll(/<a [^>]*>/g)) expect(link).toMatch(/tabindex="-1"/);
  expect(svg).toMatch(/href="\/mentions\?query=1&amp;from=\d+&amp;to=\d+"/);
});

test("what strangers wrote is text", async () => {
  for (const path of ["/insights", `/insights?author=${encodeURIComponent(ATTACKS[1] ?? "")}`]) {
    const markup = await page(path);
    expect(markup).not.toContain("<script>document");
    expect(markup).not.toContain("<img");
  }
  expect(await page("/insights")).toContain("Rival &lt;script&gt;");
});

test("a question that is not understood is the usual one", async () => {
  for (const wrong of ["?query=nobody", "?last=7y&by=second", "?from=x&to=-1", "?query=1&query=2&author="])
    expect(await page(`/insights${wrong}`)).toContain("Volume and mood");
});

test("a view of it can be saved", async () => {
  const markup = await page("/insights?last=30d&query=1");
  expect(markup).toContain(`/views?save=${encodeURIComponent("/insights?last=30d&query=1")}`);
  expect(await page(`/views?save=${encodeURIComponent("/insights?last=30d&query=1")}`)).toContain("Save it");
});

test("who speaks: the values of each facet, with what is new, from the mentions", async () => {
  const { from, to } = weekOf(0);
  const before = weekOf(7);
  const within = (some: readonly Mention[], span: { from: number; to: number }) =>
    some.filter((one) => eventAt(one) >= span.from && eventAt(one) < span.to);
  const speakers = (await json("/insights/speakers.json?last=7d")) as {
    facet: string;
    values: number;
    newValues: number;
    isEstimated: boolean;
    rows: { value: string; mentions: number; before: number; reach: number | null }[];
  }[];
  const keyOf: Record<string, (mention: Mention) => string | null> = {
    author: ({ author }) => author?.replace(/^@+/, "") ?? null,
    domain: ({ domain }) => domain?.toLowerCase() ?? null,
    country: ({ country }) => country,
    language: ({ language }) => language,
    type: ({ pageType }) => pageType,
  };
  expect(speakers.map(({ facet }) => facet)).toEqual([...Object.keys(keyOf), "list"]);
  for (const { facet, rows, ...counts } of speakers.slice(0, -1)) {
    const key = keyOf[facet] ?? (() => null);
    const [now, past] = [within(mentions, { from, to }), within(mentions, before)];
    const values = new Set(now.map(key).filter((value) => value !== null));
    const old = new Set(past.map(key));
    expect(counts).toEqual({
      values: values.size,
      newValues: [...values].filter((value) => !old.has(value)).length,
      isEstimated: false,
    });
    expect(rows).toHaveLength(Math.min(15, values.size));
    for (const { value, mentions: n, before: were, reach } of rows) {
      const own = now.filter((one) => key(one) === value);
      expect([n, were]).toEqual([own.length, past.filter((one) => key(one) === value).length]);
      const reached = own.flatMap((one) => one.reach ?? []);
      expect(reach).toBe(reached.length === 0 ? null : reached.reduce((sum, one) => sum + one, 0));
    }
  }
  const markup = await page("/insights/speakers?last=7d");
  expect(markup).not.toContain("<img");
  expect(markup).toMatch(/href="\/mentions\?from=\d+&amp;to=\d+&amp;domain=site0.example"/);
});

test("who speaks: where the time before had others only, it says that, and not that there is nothing", async () => {
  // The newest 300 mentions are on four sites, and those of the ten days before on another one.
  const from = NOW - 299.5 * 47 * MINUTE;
  const markup = await page(`/insights/speakers?from=${from}&to=${NOW}`);
  const sites = markup
    .split('id="h-domain"')[1]
    ?.split("</p>")[0]
    ?.replaceAll(/<[^>]+>/g, "");
  expect(sites).toContain("4 sites, none of them there in the time before");
});

test("the mood of mentions without one leads nowhere: no list is of them alone", async () => {
  const chart = (await page("/insights?last=7d")).split('id="mood"')[1]?.split("</svg>")[0] ?? "";
  expect(chart).toMatch(/<a [^>]*><rect class="fill-negative"/);
  expect(chart).toMatch(/<rect class="fill-unknown"/);
  expect(chart).not.toMatch(/<a [^>]*><rect class="fill-unknown"/);
});

test("what moved the mood: negative mentions as a share of all, against the time before, from the mentions", async () => {
  const { movers } = (await json("/insights.json?last=7d")) as {
    movers: { facet: string; value: string; negative: number; share: number; shareBefore: number }[];
  };
  const [now, before] = [weekOf(0), weekOf(7)].map(({ from, to }) =>
    mentions.filter((one) => eventAt(one) >= from && eventAt(one) < to),
  ) as [Mention[], Mention[]];
  const valuesOf: Record<string, (mention: Mention) => readonly (string | null)[]> = {
    category: ({ categories }) => categories.flatMap(({ name, parentName }) => [name, parentName]),
    domain: ({ domain }) => [domain?.toLowerCase() ?? null],
    type: ({ pageType }) => [pageType],
    country: ({ country }) => [country],
    language: ({ language }) => [language],
  };
  const moved = Object.entries(valuesOf).flatMap(([facet, of]) => {
    const share = (some: readonly Mention[], value: string | null) =>
      some.filter((one) => one.sentiment === "negative" && of(one).includes(value)).length / some.length;
    const values = [...new Set([...now, ...before].flatMap(of))].filter((value) => value !== null);
    return values
      .map((value) => ({ facet, value, share: share(now, value), shareBefore: share(before, value) }))
      .map((one) => ({ ...one, change: Math.abs(one.share - one.shareBefore) }))
      .sort((a, b) => b.change - a.change || (a.value < b.value ? -1 : 1))
      .slice(0, 3)
      .filter(({ change }) => change >= 0.01)
      .map(({ change: _, ...one }) => one);
  });
  expect(moved.length).toBeGreaterThan(3);
  expect(movers).toEqual(moved.map((one) => expect.objectContaining(one)));

  const [row] = movers;
  const link = /href="(\/mentions\?sentiment=negative[^"]*category=Price)"/.exec(
    await page("/insights?last=7d"),
  )?.[1];
  const listed = await json((link ?? "").replaceAll("&amp;", "&").replace("?", ".json?"));
  expect((listed as { mentions: unknown[] }).mentions).toHaveLength(Math.min(50, row?.negative ?? 0));
  const filtered = (await json("/insights.json?last=7d&language=de")) as { movers: unknown };
  expect(filtered.movers).toBeNull();
});

test("stories: what three mentions say, how it spread and who told it, from the mentions", async () => {
  const stories = (await json("/insights/stories.json?last=7d&by=day")) as {
    story: string;
    mentions: number;
    before: number;
    negative: number;
    authors: number;
    lastAt: number;
    first: Mention;
    widest: Mention;
    stories: number;
    sites: { domain: string; at: number; mentions: number }[];
    steps: [number, number][];
  }[];
  const [now, before] = [weekOf(0), weekOf(7)].map(({ from, to }) =>
    mentions.filter((one) => eventAt(one) >= from && eventAt(one) < to),
  ) as [Mention[], Mention[]];
  expect(stories.map(({ story }) => story).sort()).toEqual(["story0", "story1", "story2", "story3"]);
  expect(stories.map((one) => one.mentions)).toEqual(
    stories.map((one) => one.mentions).sort((a, b) => b - a),
  );
  for (const one of stories) {
    const own = now
      .filter((mention) => storyOf(mention) === one.story)
      .sort((a, b) => eventAt(a) - eventAt(b));
    const sites = [...new Set(own.map(({ domain }) => domain?.toLowerCase() ?? ""))];
    expect(one).toMatchObject({
      ...{ stories: 4, mentions: own.length, first: own[0], lastAt: own.at(-1)?.publishedAt },
      before: before.filter((mention) => storyOf(mention) === one.story).length,
      negative: own.filter(({ sentiment }) => sentiment === "negative").length,
      authors: new Set(own.map(({ author }) => author?.replace(/^@/, "").toLowerCase())).size,
      sites: sites.map((domain) => ({
        domain,
        at: own.find((mention) => mention.domain?.toLowerCase() === domain)?.publishedAt,
        mentions: own.filter((mention) => mention.domain?.toLowerCase() === domain).length,
      })),
    });
    const most = Math.max(...own.map(({ reach }) => reach ?? -1));
    expect(one.widest.reach).toBe(most === -1 ? null : most);
    expect(one.steps.reduce((sum, [, n]) => sum + n, 0)).toBe(own.length);
  }
  const markup = await page("/insights/stories?last=7d&by=day");
  for (const attack of ["<script>document", "<img"]) expect(markup).not.toContain(attack);
  const [link] = markup.match(/\/mentions\?[^"]*story=story\d/) ?? [];
  const listed = await json((link ?? "").replaceAll("&amp;", "&").replace("?", ".json?"));
  expect((listed as { mentions: unknown[] }).mentions).toHaveLength(Math.min(50, stories[0]?.mentions ?? 0));
  // The page says what it is limited to, and keeps it when something else is asked for.
  const shown = await page((link ?? "").replaceAll("&amp;", "&"));
  expect(shown).toContain("Only those that tell one story from <time");
  expect(shown).toMatch(/<input type="hidden" name="story" value="story\d">/);
});

/** Up to the quarter of now, seven days in the zone; `back`: so many days before. */
function weekOf(back: number): { readonly from: number; readonly to: number } {
  const now = DateTime.fromMillis(NOW, { zone: ZONE }).minus({ days: back });
  return {
    from: now.startOf("day").minus({ days: 6 }).toMillis(),
    to: now.set({ minute: 15, second: 0, millisecond: 0 }).toMillis(),
  };
}
