import {
  FILTERS,
  type Fired,
  type InsightsWorld,
  isOn,
  type KeptMention,
  queriesOf,
  type Span,
  saidIn,
} from "./insights-world.ts";
import { type AskedTime, askedTime, isShortTime, labelOf, spanOf, spanWords, stepsOf } from "./range.ts";
import { type Block, readInsights } from "./read-page.ts";

interface InsightsFinding {
  readonly address: string;
  readonly block: string;
  readonly because: string;
}

export interface JudgedPage {
  readonly findings: readonly InsightsFinding[];
  /** Numbers and times that were recounted. */
  readonly recounted: number;
}

/** Sentences that say a number without digits. */
const NO_NUMBER =
  /percentage point|^No (?:alert|mention|three)|^None among|none before|nobody said|as (?:many as )?before|^new$/;

const MOODS = ["negative", "neutral", "positive", "unknown"] as const;

/**
 * Recounts every number of the page of Insights at this address from the mentions and the alerts; a number that nothing
 * explains is a finding. What it says may be judged again with other numbers.
 */
export function judgeInsights(world: InsightsWorld, address: string): (html: string) => JudgedPage {
  const { pathname, searchParams: asked } = new URL(address, "http://page");
  const time = askedTime(world, asked);
  const page = createPage(world, asked, time);
  const judge = JUDGES[pathname];
  return (html) => {
    const findings: InsightsFinding[] = [];
    let recounted = 0;
    for (const block of readInsights(html)) {
      const { text } = block;
      const said = text.replaceAll(/«[^»]*»/g, "");
      const numbers = said.match(/\d+/g)?.length ?? 0;
      const report = (because: string) =>
        findings.push({ address, block: `${block.panel} ${block.kind}: ${text}`, because });
      for (const because of linkFaults(world, block)) report(because);
      for (const because of timeFaults(block, time)) report(because);
      const isClaim = /^(?:p|cell)\b/.test(block.kind) && NO_NUMBER.test(said);
      if (numbers === 0 && !isClaim) continue;
      recounted += numbers;
      const because = judgeFrame(world, asked, time, block) ?? judge?.(page, block) ?? null;
      if (because === null) report("nothing explains this number");
      else if (because !== true) report(because);
    }
    return { findings, recounted };
  };
}

/** True: it is so. A sentence: it is not. Null: it is of another kind. */
type Verdict = true | string | null;

interface Page {
  readonly world: InsightsWorld;
  readonly asked: URLSearchParams;
  readonly time: AskedTime;
  readonly now: readonly KeptMention[];
  readonly before: readonly KeptMention[];
  readonly steps: readonly {
    readonly span: Span;
    readonly label: string;
    readonly now: readonly KeptMention[];
    readonly before: readonly KeptMention[];
  }[];
}

function createPage(world: InsightsWorld, asked: URLSearchParams, time: AskedTime): Page {
  const past = stepsOf(time.before);
  return {
    ...{ world, asked, time },
    now: saidIn(world, asked, spanOf(time.moments)),
    before: saidIn(world, asked, spanOf(time.before)),
    steps: stepsOf(time.moments).map((span, n) => ({
      ...{ span, label: labelOf(time, span), now: saidIn(world, asked, span) },
      before: saidIn(world, asked, past[n] ?? { from: 0, to: 0 }),
    })),
  };
}

/** The time and the zone above each page. */
function judgeFrame(
  _: InsightsWorld,
  __: URLSearchParams,
  { zone, moments, before }: AskedTime,
  { panel, text }: Block,
): Verdict {
  if (panel !== "" || !text.includes("; compared with")) return null;
  const wanted = `${spanWords(spanOf(moments), zone)}, times in ${zone.replace("Etc/", "")}`;
  const compared = `; compared with ${spanWords(spanOf(before), zone)}.`;
  return is(text.startsWith(wanted) && text.includes(compared), `${wanted}${compared}`);
}

const JUDGES: Readonly<Record<string, (page: Page, block: Block) => Verdict>> = {
  "/insights": judgeVolume,
  "/insights/speakers": judgeSpeakers,
  "/insights/stories": judgeStories,
  "/insights/response": judgeResponse,
};

function judgeVolume(page: Page, { panel, kind, text, heads, row }: Block): Verdict {
  const { now, before, steps, time, world, asked } = page;
  const queries = queriesOf(world, asked);
  const named = (name: string) => queries.find((one) => `«${one.name}»` === name || one.name === name)?.id;
  const step = steps.find(({ label }) => label === row);
  if (panel === "h-volume" && kind === "p" && text.includes("mention"))
    return text.startsWith("The marks are") || isChange(text, "mention", now.length, before.length);
  if (kind === "summary") return is(text === `Numbers by ${time.by}`, `by ${time.by}`);
  if (kind.startsWith("title") || kind.startsWith("text")) return judgeChart(page, panel, kind, text);
  if (panel === "h-volume" && kind.startsWith("cell")) {
    if (step === undefined) return "there is no such step";
    if (kind === "cell 0") return true;
    const head = heads[Number(kind.slice(5))] ?? "";
    const own =
      head === "All"
        ? step.now
        : head === "Before"
          ? step.before
          : step.now.filter(({ query }) => query === named(head));
    return isNumber(text, own.length);
  }
  if (panel === "h-mood" && kind === "p") {
    if (text.startsWith("No mention")) return is(now.length === 0, `${now.length} mentions`);
    const [share = "", points] = text.split(" negative");
    return both(
      isShare(share, negative(now), now.length),
      isPoints(points?.replace(/^, /, "") ?? "", now, before),
    );
  }
  if (panel === "h-mood" && kind.startsWith("cell")) {
    if (step === undefined) return "there is no such step";
    if (kind === "cell 0") return true;
    return isNumber(text, step.now.filter(isMood(heads[Number(kind.slice(5))]?.toLowerCase() ?? "")).length);
  }
  if (panel === "h-share" && kind.startsWith("cell")) {
    const id = named(row);
    const [own, past] = [now, before].map((all) => all.filter(({ query }) => query === id)) as [
      KeptMention[],
      KeptMention[],
    ];
    if (kind === "cell 1") return isNumber(text, own.length);
    if (kind === "cell 2") return isShare(text, own.length, now.length);
    if (kind === "cell 3") return arePoints(text, [own.length, now.length], [past.length, before.length]);
    if (kind === "cell 4") return isShare(text, negative(own), own.length);
    if (kind === "cell 5") return isPoints(text, own, past);
  }
  if (panel === "h-movers") return judgeMovers(page, { kind, text, row });
  return null;
}

const MOVED = {
  category: "category",
  site: "domain",
  "page type": "type",
  country: "country",
  language: "language",
} as const;

function judgeMovers(
  { now, before }: Page,
  { kind, text, row }: Pick<Block, "kind" | "text" | "row">,
): Verdict {
  const shares = (facet: string, value: string) => {
    const values = FILTERS[facet];
    const of = (all: readonly KeptMention[]) => negative(all.filter((one) => values?.(one).includes(value)));
    return {
      own: of(now),
      past: of(before),
      change: Math.abs(of(now) / now.length - of(before) / before.length),
    };
  };
  const moved = Object.values(MOVED).flatMap((facet) =>
    [...new Set([...now, ...before].flatMap((one) => FILTERS[facet]?.(one) ?? []))].flatMap((value) =>
      value === null || shares(facet, value).change < 0.01 ? [] : [{ facet, value, ...shares(facet, value) }],
    ),
  );
  if (text.startsWith("Nothing changed it"))
    return is(moved.length === 0, `${moved[0]?.facet} ${moved[0]?.value} did`);
  const [, name = "", value = ""] = /^(category|site|page type|country|language) «(.*)»$/.exec(row) ?? [];
  const facet = MOVED[name as keyof typeof MOVED];
  if (facet === undefined) return null;
  if (kind === "cell 0") {
    const louder = moved.filter(
      (one) => one.facet === facet && one.change > shares(facet, value).change + 1e-9,
    );
    return is(louder.length < 3 && shares(facet, value).change >= 0.01, `${louder.length} changed more`);
  }
  const { own, past } = shares(facet, value);
  if (kind === "cell 1") return isNumber(text.replace(/ negative mentions of.*/, ""), own);
  if (kind === "cell 2") return isShare(text, own, now.length);
  if (kind === "cell 3") return arePoints(text, [own, now.length], [past, before.length]);
  return null;
}

/** What stands in a chart: its scale, its dates, and the numbers under the pointer. */
function judgeChart(
  page: Page,
  panel: string,
  kind: string,
  text: string,
  of: (all: readonly KeptMention[]) => readonly KeptMention[] = (all) => all,
): Verdict {
  const { steps, world, asked } = page;
  const queries = queriesOf(world, asked);
  if (kind.startsWith("text")) return isScale(text, steps, of);
  const step = steps.find(({ label }) => text.startsWith(`${label}: `));
  if (step === undefined) return "there is no such step";
  const own = of(step.now);
  const [count = "", ...parts] = text.slice(step.label.length + 2).split(/, (?=\D)/);
  const sums = parts.map((part) => {
    const [, name = "", n = ""] = /^(.*) ([\d,]+)$/.exec(part) ?? [];
    if (name === "before") return isNumber(n, of(step.before).length);
    const mood = MOODS.find((one) => one === name);
    const query = queries.find((one) => one.name === name)?.id;
    if (mood === undefined && query === undefined) return `nobody knows ${name}`;
    return isNumber(
      n,
      own.filter((one) => (mood === undefined ? one.query === query : isMood(mood)(one))).length,
    );
  });
  // What is not named has no mentions.
  const shown =
    panel === "h-mood"
      ? MOODS.map((mood) => own.filter(isMood(mood)).length)
      : queries.map(({ id }) => own.filter(({ query }) => query === id).length);
  const named = parts.filter((part) => !part.startsWith("before "));
  const isWhole =
    panel === "" ||
    !/^h-(?:mood|volume)$/.test(panel) ||
    shown.length === 1 ||
    named.length === shown.filter((n) => n > 0).length;
  return all([isCounted(count, "mention", own.length), ...sums, is(isWhole, "a piece of it is missing")]);
}

/** A tick of an axis is round; nothing is higher than the last of them. */
function isScale(text: string, steps: Page["steps"], _: unknown): Verdict {
  if (/^[\d.,]+[KM]?$/.test(text)) return true;
  return is(
    steps.some(
      ({ label }) => label.includes(text) || label.split(" to ")[0] === text || label.endsWith(text),
    ),
    "an axis of these steps",
  );
}

const LISTED = {
  ...{ "h-author": ["author"], "h-domain": ["domain"], "h-country": ["country"] },
  ...{ "h-language": ["language"], "h-type": ["type"] },
} as const;

function judgeSpeakers(
  { now, before, world, asked, time }: Page,
  { panel, kind, text, row }: Block,
): Verdict {
  if (panel === "h-lists") {
    if (!kind.startsWith("cell")) return null;
    // Whatever the filters.
    const bare = new URLSearchParams(asked.getAll("query").map((id): [string, string] => ["query", id]));
    const list = row.replaceAll(/[«»]/g, "");
    const of = (span: Span) => saidIn(world, bare, span).filter((one) => isOn(world, list, one));
    const [own, past] = [of(spanOf(time.moments)), of(spanOf(time.before))];
    if (kind === "cell 1")
      return isNumber(text, new Set(own.map(({ author }) => author?.toLowerCase())).size);
    if (kind === "cell 2") return isNumber(text, own.length);
    if (kind === "cell 3") return isRelation(text, own.length, past.length);
    return kind === "cell 4" ? isShare(text, negative(own), own.length) : null;
  }
  const [facet = ""] = LISTED[panel as keyof typeof LISTED] ?? [];
  const facetOf = (one: KeptMention) => FILTERS[facet]?.(one)[0] ?? null;
  const counts = countBy(now, facetOf);
  const past = countBy(before, facetOf);
  const isNew = [...counts.keys()].filter((value) => !past.has(value)).length;
  if (kind === "p" && /^[\d,]/.test(text)) {
    const [, n = "", rest = ""] = /^([\d,]+) [a-z ]+?(,.*)$/.exec(text) ?? [];
    const compared =
      isNew < counts.size
        ? `, ${isNew} of them new: not there in the time before`
        : ", none of them there in the time before";
    const cut = counts.size > 15 ? "; these are the 15 with the most mentions" : "";
    return both(
      isNumber(n, counts.size),
      is(rest.replaceAll(",", "") === `${compared}${cut}`.replaceAll(",", ""), `${compared}${cut}`),
    );
  }
  if (!kind.startsWith("cell")) return null;
  const value = /^«(.*?)»/.exec(row)?.[1] ?? "";
  const own = counts.get(value) ?? [];
  const earlier = past.get(value)?.length ?? 0;
  if (kind === "cell 0") {
    const louder = [...counts.values()].filter((others) => others.length > own.length).length;
    return is(own.length > 0 && louder < 15, `${louder} have more`);
  }
  if (kind === "cell 1") return isNumber(text, own.length);
  if (kind === "cell 2") return isRelation(text, own.length, earlier);
  if (kind === "cell 3") return isShare(text, negative(own), own.length);
  if (kind === "cell 4") {
    const [, short = "", whole = ""] = /^(\S+) ⟦title (.*)⟧$/.exec(text) ?? [];
    const reach = own.reduce((sum, one) => sum + (one.reach ?? 0), 0);
    return both(isNumber(whole, reach), isShort(short, reach));
  }
  return null;
}

function judgeStories(page: Page, block: Block): Verdict {
  const { now, before, world, steps } = page;
  const { panel, kind, text, row } = block;
  const told = [...countBy(now, ({ story }) => story).values()].filter((copies) => copies.length >= 3);
  told.sort((a, b) => b.length - a.length || sinceOf(a) - sinceOf(b));
  if (panel === "" && kind === "p") {
    if (text.startsWith("No three")) return is(told.length === 0, `${told.length} stories`);
    const cut = told.length > 10 ? "; these are the 10 with the most mentions" : "";
    return is(
      text ===
        `${told.length} ${told.length === 1 ? "story" : "stories"}: texts that at least three mentions share${cut}`,
      `${told.length} stories`,
    );
  }
  const place = Number(/^story-(\d+)$/.exec(panel)?.[1] ?? 0);
  const heard = told[place - 1];
  if (heard === undefined) return null;
  const copies = heard.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const { story = "" } = copies[0] ?? {};
  if (kind.startsWith("h2"))
    return is(
      copies.some((one) => text.startsWith(one.text.slice(0, 40))),
      copies[0]?.text ?? "",
    );
  const past = before.filter((one) => one.story === story);
  if (kind === "p" && text.includes("% negative")) {
    const [count = "", ...more] = text.split(" · ");
    const [mentions = "", change = ""] = count.split(", ");
    const authors = new Set(copies.flatMap(({ author }) => author?.toLowerCase() ?? [])).size;
    return all([
      isCounted(mentions, "mention", copies.length),
      past.length === 0 ? is(change === "", "none before") : isRelation(change, copies.length, past.length),
      authors === 0 ? true : isCounted(more[0] ?? "", "author", authors),
      isShare((more.at(-1) ?? "").replace(" negative", ""), negative(copies), copies.length),
    ]);
  }
  if (kind === "p" && text.startsWith("First: ")) return judgeFirst(copies, text);
  if (kind === "p" && text.startsWith("Where it was told: ")) return judgeRoute(copies, text);
  if (kind === "summary") return true;
  const of = (all: readonly KeptMention[]) => all.filter((one) => one.story === story);
  if (kind.startsWith("title") || kind.startsWith("text"))
    return judgeChart({ ...page, world }, panel, kind, text, of);
  if (kind === "cell 0")
    return is(
      steps.some(({ label, now: own }) => label === text && of(own).length > 0),
      "a step of this story",
    );
  const step = steps.find(({ label }) => label === row);
  return kind === "cell 1" && step !== undefined ? isNumber(text, of(step.now).length) : null;
}

function sinceOf(copies: readonly KeptMention[]): number {
  return Math.min(...copies.map(({ at }) => at));
}

function judgeFirst(copies: readonly KeptMention[], text: string): Verdict {
  const reachOf = ({ reach, followers }: KeptMention) => reach ?? followers;
  const widest = copies.toSorted((a, b) => (reachOf(b) ?? -1) - (reachOf(a) ?? -1) || a.at - b.at)[0];
  const said = (one: KeptMention | undefined, part: string): Verdict => {
    if (one === undefined) return "there is none";
    const reach = /, reach ([\d.,]*\d[kmb]?)/.exec(part)?.[1];
    const at = /⟦([^|]*)\|/.exec(part)?.[1] ?? "";
    const known = reachOf(one);
    return all([
      is(
        one.shownAs === null
          ? part.includes("somebody")
          : part.replace("«@", "«").includes(`«${one.shownAs}»`),
        `${one.shownAs}`,
      ),
      is(Date.parse(at) === one.at, new Date(one.at).toISOString()),
      reach === undefined ? is(known === null, `reach ${known}`) : isShort(reach, known ?? -1),
    ]);
  };
  const [, first = "", , wide, last = ""] =
    /^First: (.*?⟧.*?)\.( Most reach: (.*?⟧.*?)\.)? Last at ⟦([^|]*)\|[^⟧]*⟧\.$/.exec(text) ?? [];
  return all([
    said(copies[0], first),
    wide === undefined
      ? is(
          widest === undefined || widest === copies[0] || reachOf(widest) === null,
          "another one reached more",
        )
      : said(widest, wide),
    is(Date.parse(last) === copies.at(-1)?.at, new Date(copies.at(-1)?.at ?? 0).toISOString()),
  ]);
}

function judgeRoute(copies: readonly KeptMention[], text: string): Verdict {
  const sites = [...countBy(copies, ({ domain }) => domain)].map(([domain, own]) => ({
    domain,
    at: own[0]?.at ?? 0,
    n: own.length,
  }));
  sites.sort((a, b) => a.at - b.at || ((a.domain ?? "") < (b.domain ?? "") ? -1 : 1));
  const start = sites[0]?.at ?? 0;
  const parts = text.replace("Where it was told: ", "").replace(/\.$/, "").split(", then ");
  return all([
    is(parts.length === Math.min(6, sites.length), `${sites.length} sites`),
    ...parts.map((part, n) => {
      const site = sites[n];
      if (site === undefined) return "there are fewer sites";
      const [, name, how = "", count = ""] = /^«(.*?)» (.*) \(([\d,]+)\)$/.exec(part) ?? [];
      const after = site.at - start;
      const isSo =
        n === 0
          ? Date.parse(/⟦([^|]*)/.exec(how)?.[1] ?? "") === site.at
          : after < 60_000
            ? how === "in the same minute"
            : isWait(how.replace(" later", ""), after);
      return all([
        is(name === site.domain, `${site.domain}`),
        is(isSo, `${after / 60_000} minutes later`),
        isNumber(count, site.n),
      ]);
    }),
  ]);
}

function judgeResponse(page: Page, { panel, kind, text, row }: Block): Verdict {
  const { world, asked, time } = page;
  const queries = queriesOf(world, asked).map(({ id }) => id);
  const firedIn = ({ from, to }: Span) =>
    world.fired.filter((one) => one.at >= from && one.at < to && queries.includes(one.query));
  const now = firedIn(spanOf(time.moments));
  if (panel === "h-fast") {
    const [lead, past] = [/^(.*)$/, /^In the time before: (.*)$/].map((pattern) => pattern.exec(text)?.[1]);
    if (kind === "p" && past !== undefined) return judgeAnswers(past, firedIn(spanOf(time.before)));
    if (kind === "p" && text.startsWith("The longest wait: ")) {
      const slowest = now.reduce((most, one) => Math.max(most, waitOf(one) ?? -1), -1);
      const waited = /, ([^,]*)\.$/.exec(text)?.[1] ?? "";
      const at = Date.parse(/⟦([^|]*)/.exec(text)?.[1] ?? "");
      return both(
        is(isWait(waited, slowest), `${slowest / 60_000} minutes`),
        is(
          now.some((one) => one.at === at && waitOf(one) === slowest),
          "another alert",
        ),
      );
    }
    if (kind === "p" && text.startsWith("and "))
      return isNumber(/\d+/.exec(text)?.[0] ?? "", now.filter(isForNothing).length - 10);
    if (kind === "p") return judgeAnswers(lead ?? "", now);
    if (kind === "li") {
      if (!text.includes("⟦")) return true;
      const at = Date.parse(/⟦([^|]*)/.exec(text)?.[1] ?? "");
      return is(
        now.some((one) => one.at === at && isForNothing(one) && text.startsWith(one.title)),
        "an alert that was sent, and nobody acted on",
      );
    }
    const steps = stepsOf(time.moments).map((span) => ({ label: labelOf(time, span), own: firedIn(span) }));
    if (kind.startsWith("title")) {
      const step = steps.find(({ label }) => text.startsWith(`${label}: `));
      if (step === undefined) return "there is no such step";
      const [count = "", answered = ""] = text.slice(step.label.length + 2).split(", somebody on ");
      return both(
        isCounted(count, "alert", step.own.length),
        isNumber(answered, step.own.filter(isAnswered).length),
      );
    }
    if (kind.startsWith("text")) return isScale(text, page.steps, null);
    const step = steps.find(({ label }) => label === row);
    if (kind === "cell 0") return is(step !== undefined, "a step");
    if (kind === "cell 1") return isNumber(text, step?.own.length ?? -1);
    return kind === "cell 2"
      ? isNumber(text, step?.own.filter(isAnswered).length ?? -1)
      : kind === "summary"
        ? true
        : null;
  }
  const sent = sentIn(world, queries, spanOf(time.moments));
  if (panel === "h-rules") {
    const own = now.filter(({ title }) => title === row);
    const [worth, not] = [true, false].map(
      (isWorthIt) => own.filter((one) => one.isWorthIt === isWorthIt).length,
    ) as [number, number];
    if (text === "No alert fired.") return is(now.length === 0, `${now.length} alerts`);
    if (kind === "cell 1") return isNumber(text, own.length);
    if (kind === "cell 2") {
      if (text === "nobody said") return is(worth + not === 0, `${worth} of ${worth + not}`);
      const [share = "", of = ""] = text.split(" of ");
      return both(isShare(share, worth, worth + not), isNumber(of, worth + not));
    }
    if (kind === "cell 3") return isNumber(text, own.filter(isAnswered).length);
    if (kind === "cell 4") return is(isWait(text, medianOf(own)), `${medianOf(own) / 60_000} minutes`);
    if (kind === "cell 5")
      return isNumber(
        text,
        own.reduce((sum, one) => sum + one.messages.length, 0),
      );
    if (kind === "cell 6")
      return isNumber(text, sent.filter((one) => one.alert.title === row && isUnneeded(one.alert)).length);
    return kind === "p" ? true : null;
  }
  if (panel === "h-unneeded") {
    if (text.startsWith("None among"))
      return is(
        sent.every(({ alert }) => !isUnneeded(alert)),
        "some",
      );
    if (kind === "p") return true;
    const [, name = "", n = "", of = "", rest = ""] = /^(.*?): ([\d,]+) of ([\d,]+)(.*)$/.exec(text) ?? [];
    const own = sent.filter((one) =>
      of !== "" && rest.startsWith(" message") ? one.receiver === name : one.alert.title === name,
    );
    const unneeded = own.filter(({ alert }) => isUnneeded(alert));
    return all([
      isNumber(n, unneeded.length),
      isNumber(of, own.length),
      rest.startsWith(" message")
        ? true
        : judgeRemedy(
            rest,
            own.map((one) => one.alert),
          ),
    ]);
  }
  return null;
}

/** One alert for each message. */
function judgeRemedy(text: string, alerts: readonly Fired[]): Verdict {
  const unneeded = alerts.filter(isUnneeded);
  const needed = alerts.filter((one) => !isUnneeded(one));
  const limit = /atLeast: ([\d,]+) would have spared ([\d,]+) of them/.exec(text);
  if (limit !== null) {
    const to = readNumber(limit[1] ?? "");
    const isTrue = needed.every(({ count }) => count >= to);
    return both(
      is(isTrue, "one that was needed has fewer"),
      isNumber(limit[2] ?? "", unneeded.filter(({ count }) => count < to).length),
    );
  }
  const whole = /would have spared all ([\d,]+)/.exec(text);
  if (whole !== null)
    return both(is(needed.length === 0, "some were needed"), isNumber(whole[1] ?? "", unneeded.length));
  return is(text === ".", "no advice with a number");
}

function judgeAnswers(text: string, alerts: readonly Fired[]): Verdict {
  if (alerts.length === 0) return is(text === "No alert fired.", "no alert");
  const answered = alerts.filter(isAnswered);
  const [, fired = "", rest = ""] = /^([\d,]+ alerts?) fired(.*)$/.exec(text) ?? [];
  if (answered.length === 0)
    return both(
      isCounted(fired, "alert", alerts.length),
      is(rest === ", and nobody acted on any.", "nobody acted"),
    );
  const [, n = "", median = "", longest = ""] =
    /^; somebody was on ([\d,]+) of them\. Median wait (.*), longest (.*)\.$/.exec(rest) ?? [];
  return all([
    isCounted(fired, "alert", alerts.length),
    isNumber(n, answered.length),
    is(isWait(median, medianOf(alerts)), `${medianOf(alerts) / 60_000} minutes in the middle`),
    is(isWait(longest, Math.max(...answered.map((one) => waitOf(one) ?? 0))), "another longest wait"),
  ]);
}

function sentIn({ fired }: InsightsWorld, queries: readonly string[], { from, to }: Span) {
  return fired
    .filter(({ query }) => queries.includes(query))
    .flatMap((alert) =>
      alert.messages.filter(({ at }) => at >= from && at < to).map(({ receiver }) => ({ alert, receiver })),
    );
}

const isAnswered = ({ answeredAt }: Fired): boolean => answeredAt !== null;
const isForNothing = ({ answeredAt, messages }: Fired): boolean => answeredAt === null && messages.length > 0;
const isUnneeded = ({ isOver, isWorthIt }: Fired): boolean => isOver && isWorthIt !== true;

function waitOf({ at, answeredAt }: Fired): number | null {
  return answeredAt === null ? null : Math.max(0, answeredAt - at);
}

function medianOf(alerts: readonly Fired[]): number {
  const waits = alerts.flatMap((one) => waitOf(one) ?? []).sort((a, b) => a - b);
  const middle = waits.length / 2;
  return ((waits[Math.ceil(middle) - 1] ?? Number.NaN) + (waits[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The numbers that lead to mentions count those that their link asks for. */
function linkFaults(world: InsightsWorld, { kind, text, links }: Block): string[] {
  return links.flatMap((link) => {
    const { pathname, searchParams } = new URL(link, "http://page");
    if (
      pathname !== "/mentions" ||
      !searchParams.has("from") ||
      !/^[\d,]+(?:$| mentions?\b)/.test(text) ||
      !/^cell|^p/.test(kind)
    )
      return [];
    const found = countLink(world, link);
    const shown = readNumber(/^[\d,]+/.exec(text)?.[0] ?? "");
    return found === shown ? [] : [`its link ${link} leads to ${found} mentions`];
  });
}

/** How many mentions a link to them lists. */
export function countLink(world: InsightsWorld, link: string): number {
  const { searchParams } = new URL(link, "http://page");
  const span = { from: Number(searchParams.get("from")), to: Number(searchParams.get("to")) };
  return saidIn(world, searchParams, span).length;
}

/** Every time that is shown is that moment in the zone that the page names. */
function timeFaults({ text }: Block, { zone }: AskedTime): string[] {
  return [...text.matchAll(/⟦(\d{4}-[^|]*)\|([^⟧]*)⟧/g)].flatMap(([, iso = "", short = ""]) =>
    isShortTime(short, Date.parse(iso), zone) ? [] : [`${iso} is not ${short} in ${zone}`],
  );
}

function countBy<Key>(
  all: readonly KeptMention[],
  keyOf: (one: KeptMention) => Key | null,
): Map<Key, KeptMention[]> {
  const found = new Map<Key, KeptMention[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === null) continue;
    const known = found.get(key);
    if (known === undefined) found.set(key, [one]);
    else known.push(one);
  }
  return found;
}

function isMood(mood: string): (one: KeptMention) => boolean {
  return ({ sentiment }) => (mood === "unknown" ? sentiment === null : sentiment === mood);
}

function negative(all: readonly KeptMention[]): number {
  return all.filter(isMood("negative")).length;
}

function readNumber(text: string): number {
  return /^[\d,]+(?:\.\d+)?$/.test(text) ? Number(text.replaceAll(",", "")) : Number.NaN;
}

function is(isSo: boolean, wanted: string): Verdict {
  return isSo ? true : `it should be: ${wanted}`;
}

function isNumber(text: string, wanted: number): Verdict {
  return is(readNumber(text) === wanted, String(wanted));
}

function isCounted(text: string, noun: string, wanted: number): Verdict {
  const [n = "", ...words] = text.split(" ");
  return both(isNumber(n, wanted), is(words.join(" ") === (wanted === 1 ? noun : `${noun}s`), noun));
}

function isShare(text: string, n: number, of: number): Verdict {
  const wanted = of === 0 ? 0 : (100 * n) / of;
  return is(
    /^\d+%$/.test(text) && Math.abs(Number.parseInt(text, 10) - wanted) <= 0.5 + 1e-9,
    `${wanted.toFixed(1)}%`,
  );
}

/** `12 mentions, 20% more than the 10 before`. */
function isChange(text: string, noun: string, now: number, before: number): Verdict {
  const [, count = "", rest = ""] = /^([\d,]+ \w+), (.*)$/.exec(text) ?? [];
  return both(isCounted(count, noun, now), isRelation(rest, now, before));
}

function isRelation(text: string, now: number, before: number): Verdict {
  if (text === "new" || /^(?:and )?none before$/.test(text)) return is(before === 0, `${before} before`);
  if (text === "as many as before") return is(now === before, `${before} before`);
  const bare = /^([\d,]+) before$/.exec(text);
  if (bare !== null) return both(isNumber(bare[1] ?? "", before), is(now > 10 * before, "a change"));
  const [, by = "", unit = "", more = "", than = ""] =
    /^([\d,.]+)(%| times)( more than| less than|) the ([\d,]+) before$/.exec(text) ?? [];
  const wanted = unit === "%" ? (100 * Math.abs(now - before)) / before : now / before;
  const room = unit === "%" ? 0.5 : wanted < 9.95 ? 0.05 : 0.5;
  // Something changed, and something is left.
  const isEdge = unit === "%" && ((wanted < 1 && by === "1") || (wanted > 99 && now > 0 && by === "99"));
  const isNear = Math.abs(readNumber(by) - wanted) <= room + 1e-9 || isEdge;
  const isRight = unit === "%" ? now > before === more.includes("more") : now > before;
  return all([isNumber(than, before), is(isNear, `${wanted}${unit}`), is(isRight, "the other way round")]);
}

function isPoints(text: string, now: readonly KeptMention[], before: readonly KeptMention[]): Verdict {
  return arePoints(text, [negative(now), now.length], [negative(before), before.length]);
}

/** Points between two shares as they are shown. */
function arePoints(
  text: string,
  [n, of]: readonly [number, number],
  [m, ofBefore]: readonly [number, number],
): Verdict {
  if (of === 0 || ofBefore === 0) return is(text === "", "nothing to compare with");
  const points = Math.round((100 * n) / of) - Math.round((100 * m) / ofBefore);
  const wanted =
    points === 0
      ? "as before"
      : `${Math.abs(points)} ${Math.abs(points) === 1 ? "point" : "points"} ${points > 0 ? "more" : "less"}`;
  return is(text === wanted, wanted);
}

/** `8.8K`. */
function isShort(text: string, wanted: number): Verdict {
  const [, digits = "", unit = ""] = /^([\d.,]+)([kmb]?)$/.exec(text) ?? [];
  const size = { "": 1, k: 1e3, m: 1e6, b: 1e9 }[unit] ?? 1;
  const room = (0.5 * size) / 10 ** (digits.split(".")[1]?.length ?? 0);
  return is(Math.abs(readNumber(digits) * size - wanted) <= (unit === "" ? 0 : room + 1e-9), String(wanted));
}

/** `1h 12m`, or `1d 2h`: the two largest units, cut off. */
function isWait(text: string, ms: number): boolean {
  if (text === "" || Number.isNaN(ms)) return text === "" && Number.isNaN(ms);
  if (text === "less than a minute") return ms < 60_000;
  const units = { d: 1440, h: 60, m: 1 };
  const parts = [...text.matchAll(/(\d+)([dhm])/g)].map(([, n, unit]) => ({
    n: Number(n),
    unit: units[unit as "d" | "h" | "m"],
  }));
  const said = parts.reduce((sum, { n, unit }) => sum + n * unit, 0);
  const smallest = parts.length === 1 ? 1 : (parts.at(-1)?.unit ?? 1);
  const minutes = ms / 60_000;
  return parts.length > 0 && said <= minutes + 1e-9 && minutes < said + smallest;
}

function both(one: Verdict, other: Verdict): Verdict {
  return all([one, other]);
}

function all(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find((one) => one !== true) ?? (verdicts.length === 0 ? null : true);
}
