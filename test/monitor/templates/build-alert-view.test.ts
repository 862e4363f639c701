import { describe, expect, it } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { storyKey } from "../../../src/monitor/model/story.ts";
import { composeSlack } from "../../../src/monitor/notify/notifiers/slack/compose-slack.ts";
import { type AlertViewFacts, buildAlertView } from "../../../src/monitor/templates/build-alert-view.ts";
import { createRenderer } from "../../../src/monitor/templates/create-renderer.ts";
import { topMentions } from "../../../src/monitor/templates/mention-view.ts";
import type { AlertView } from "../../../src/monitor/templates/view.ts";
import { aMention } from "../../mention.ts";
import { NO_EXPLANATION } from "../alerts/no-explanation.ts";

const openedAt = Date.UTC(2026, 1, 23, 16, 35);
const ALERT: Alert = {
  id: "a-1",
  projectId: "1",
  rule: "crisis-spike",
  fingerprint: "f",
  queryId: "7",
  queryName: "Delta",
  severity: "critical",
  state: "firing",
  labels: { query: "Delta", author: "<!channel>" },
  openedAt,
  firedAt: openedAt,
  lastSeenAt: openedAt,
  resolvedAt: null,
  notifyCount: 1,
  renotifyReason: null,
  mentions: 62,
  because: "62 in 30 minutes",
  windowFrom: openedAt - 30 * MINUTE,
  windowTo: openedAt,
  values: {},
};
const MENTION = aMention({ queryId: "7", resourceId: "r", publishedAt: openedAt, text: "text", author: "a" });
const EMPTY: Mention = { ...MENTION, publishedAt: null, text: null, author: null };

const FACTS = {
  kind: "fired" as const,
  mentions: [MENTION],
  rule: { name: "crisis-spike", description: null },
  project: "Airlines",
  timezone: "UTC",
  consoleUrl: null,
};

function viewOf(
  alert: Partial<Alert>,
  mentions: readonly Mention[] = [MENTION],
  story: AlertViewFacts["story"] = null,
  words: readonly string[] = [],
) {
  const explanation = words.length === 0 ? null : { ...NO_EXPLANATION, words: [...words] };
  return buildAlertView({ ...FACTS, explanation, alert: { ...ALERT, ...alert }, mentions, story });
}

describe("people's words come first", () => {
  const told = [0, 1, 2, 3].map((n) => ({
    ...MENTION,
    resourceId: `r${n}`,
    author: `a${n}`,
    followers: n * 100,
    text: "Found hundreds of parcels dumped in the wood behind the ring road",
  }));
  const spike = { because: "62 negative mentions in 30 min, 11.4 expected. Chance seldom brings so many." };
  const story = {
    key: storyKey(MENTION),
    mentions: 4,
    first: told[0] ?? MENTION,
    widest: told[3] ?? MENTION,
  };

  it("in the headline, before the number; what the rule expected is at the end", () => {
    const view = viewOf(spike, told);
    expect(view.announcement.text).toBe(
      "“Found hundreds of parcels dumped in the wood behind the ring road”, 62 negative mentions in 30 min",
    );
    // How many tell it is said once, with the story.
    expect(view.about).toBeNull();
    expect(view.measured).toBe("62 negative mentions in 30 min, 11.4 expected");
  });

  it("and stay when it is over, without its old number", () => {
    const view = viewOf({ ...spike, state: "resolved", resolvedAt: openedAt + MINUTE }, told);
    expect(view.announcement.text).toBe(
      "“Found hundreds of parcels dumped in the wood behind the ring road”",
    );
  });

  it("are said once: new words that tell what it is about are no finding beside it", () => {
    const said = ["Nobody answers", "two hours on hold"].map((text, n) => ({
      ...{ ...MENTION, text, resourceId: `r${n}`, author: `a${n}` },
    }));
    const labels = (view: ReturnType<typeof viewOf>) => view.findings.map(({ label }) => label);
    const alone = viewOf(spike, said, null, ["hold", "phone"]);
    expect(alone.about).toBe("New words: hold, phone.");
    expect(labels(alone)).not.toContain("New words");
    expect(labels(viewOf(spike, told, null, ["hold", "phone"]))).toContain("New words");
  });

  it("that many say in other words are those of one of them; a rule's title is nothing that people said", async () => {
    const said = [
      "Nobody answers at gate 12",
      "Flight cancelled, two hours on hold",
      "cancelled again, and a phone that nobody answers: two hours on hold",
      "cancelled, on hold",
    ].map((text, n) => ({ ...MENTION, text, resourceId: `r${n}`, author: `a${n}`, sentiment: "negative" }));
    const over = { ...spike, state: "resolved" as const, resolvedAt: openedAt + MINUTE };
    const view = viewOf(over, said, null, ["cancelled", "hold", "phone"]);
    expect(view.announcement.text).toBe(
      "“cancelled again, and a phone that nobody answers: two hours on hold”",
    );
    const renderer = await createRenderer({ folder: "templates" });
    const noWords = viewOf(over, [MENTION], null, ["elsewhere", "nowhere"]);
    for (const template of ["slack/alert-reply.mrkdwn", "slack/alert-fallback.mrkdwn"] as const) {
      expect(renderer.render(template, view)).toContain("It was about “cancelled again");
      // Where no words stand for many, nothing is said of what it was about.
      expect(renderer.render(template, noWords)).not.toContain("about");
      // What says neither words nor topics is told by one of its mentions.
      expect(renderer.render(template, viewOf(over, [MENTION]))).toMatch(/Among them: “.+”\./);
      expect(renderer.render(template, noWords)).not.toContain("Among them");
      const single = viewOf({ ...over, windowFrom: openedAt, windowTo: openedAt, mentions: 1 }, [MENTION]);
      expect(renderer.render(template, single)).toContain("It was “text”.");
      const slanted = viewOf(over, [{ ...MENTION, text: "_so slow_ again" }]);
      expect(renderer.render(template, slanted)).toContain("“ˍso slow_ again”");
    }
  });

  it("give way to the number: Slack cuts a headline at 150 characters", async () => {
    const because = 'about 1,250 stories in category "Safety" or others in 30 min, 4.4 expected';
    const renderer = await createRenderer({ folder: "templates" });
    for (const kind of ["fired", "unanswered", "reminder"] as const) {
      const alert = { ...ALERT, ...spike, because, queryName: "Parcelwing Express" };
      const view = buildAlertView({ ...FACTS, kind, alert, mentions: told });
      const headline = renderer.render("slack/alert-headline.header", view).trim();
      expect(headline).toMatch(/“Found hundreds.*…”, about 1,250 stories .* in 30 min$/);
      expect(headline.length).toBeLessThanOrEqual(150);
    }
  });

  it("that none stand for are topics, at the end, if there are any", () => {
    const topics = [{ name: "Cancelled Flight", now: 0.58, before: 0.14 }];
    const facts = { ...FACTS, explanation: { ...NO_EXPLANATION, topics } };
    const over = { ...ALERT, ...spike, state: "resolved" as const, resolvedAt: openedAt + MINUTE };
    const { about, wasAbout } = buildAlertView({ ...facts, alert: over });
    expect(about).toBe("Topics: Cancelled Flight 58% (usually 14%).");
    expect(wasAbout).toBeNull();
    expect(buildAlertView({ ...facts, alert: { ...ALERT, ...spike } }).about).toBeNull();
  });

  it("with the mention that set it off, not the one that most people follow", () => {
    const [first = MENTION] = told;
    const view = viewOf(spike, told, { ...story, key: storyKey(first) });
    expect(view.mentions[0]?.authorName).toBe("a0");
  });

  it("and who posts the same twice shares nothing", () => {
    const twice = ["r1", "r2"].map((resourceId) => ({ ...MENTION, resourceId, text: told[0]?.text ?? null }));
    expect(viewOf({}, twice).mentions[0]?.copies).toBe(1);
    expect(viewOf({}, told).mentions[0]?.copies).toBe(4);
  });

  it("of several mentions the words of the first, and how many there are", () => {
    const view = viewOf({ mentions: 3, windowFrom: openedAt, labels: {} }, told.slice(0, 3));
    expect(view.announcement.text).toMatch(/^a\d.* and 2 more mentions: “Found hundreds of parcels/);
  });

  it("of a single mention its text, where it has no title", () => {
    const one = { ...MENTION, text: "The CEO of Acme must answer", sentiment: "negative" };
    const view = viewOf({ mentions: 1, windowFrom: openedAt, labels: {} }, [one]);
    expect(view.announcement.text).toBe("a is negative about Delta: “The CEO of Acme must answer”");
    expect(view.isSingle).toBe(true);
  });
});

describe("the headline", () => {
  const spike = "62 negative mentions in 30 min, 11.4 expected. Chance in ordinary noise: about 1 in 4,300.";
  const share = "58% of 120 mentions in 2 h are negative, usually 20% (limit 40% of at least 30)";
  it.each([
    [spike, { count: 62, expected: 11.4 }, "62 negative mentions in 30 min, 11.4 expected (5.4×)"],
    [spike, { count: 1240, expected: 11.4 }, "62 negative mentions in 30 min, 11.4 expected (109×)"],
    [spike, { count: 12, expected: 11.4 }, "62 negative mentions in 30 min, 11.4 expected"],
    [spike, { count: 12, expected: 0 }, "62 negative mentions in 30 min, 11.4 expected"],
    [
      share,
      { count: 70, among: 120, share: 0.58, usual: 0.2 },
      "58% of 120 mentions in 2 h are negative, usually 20%",
    ],
    ["40 mentions in 1 h (limit 30)", { count: 40, limit: 30 }, "40 mentions in 1 h"],
  ])("of %j with %j is %s", (because, values: Record<string, number>, headline) => {
    expect(viewOf({ because, values }).headline).toBe(headline);
  });

  it("of an alert on several mentions says how many", () => {
    expect(viewOf({ windowFrom: openedAt }).headline).toBe("62 mentions");
  });

  it("of a single mention names its author and its reach", () => {
    const mention = { ...MENTION, authorName: "Ann", followers: 120_400, sentiment: "negative" };
    expect(viewOf({ mentions: 1, windowFrom: openedAt }, [mention]).headline).toBe(
      "negative mention by Ann (120.4k followers)",
    );
  });
});

describe("the story that most mentions share", () => {
  const first = aMention({
    resourceId: "1",
    publishedAt: openedAt - 5 * MINUTE,
    authorName: "Ann",
    text: "t",
  });
  const widest = { ...first, resourceId: "2", authorName: "Bo\n<!here>", followers: 184_200 };
  const textOf = (story: { first: Mention; widest: Mention }) =>
    viewOf({}, [first], { key: storyKey(first), mentions: 1420, ...story }).findings;

  it("is described by its count, its first and its most reaching mention", () => {
    expect(textOf({ first, widest })).toEqual([
      {
        part: "who",
        label: "Story",
        text: "shared 1,420 times; first by Ann, 16:30; furthest by Bo <!here>, 184.2k followers",
      },
    ]);
  });

  it("names one person where the first is the most reaching, and no reach where none is known", () => {
    const [alone] = textOf({ first: widest, widest });
    expect(alone?.text).toBe("shared 1,420 times; first and furthest by Bo <!here>, 16:30, 184.2k followers");
    expect(textOf({ first, widest: first })[0]?.text).toBe("shared 1,420 times; first by Ann, 16:30");
  });

  it("has one number in the message", () => {
    const story = { key: storyKey(first), mentions: 1420, first, widest };
    expect(viewOf({}, [first], story).mentions[0]?.copies).toBe(1420);
  });
});

describe("the view of an alert", () => {
  it("does not say that a mention is in the category that its rule is about", () => {
    const reason = (because: string) => viewOf({ because, windowFrom: openedAt }).reason.text;
    expect(reason('in category "Product Safety"')).toBe("");
    expect(reason('negative, in category "Product Safety"')).toBe('Negative, in category "Product Safety".');
  });

  it("does not repeat the query as a label", () => {
    expect(viewOf({}).labels).toEqual([{ name: "author", value: "<!channel>" }]);
  });

  it("has a word where a mention withholds everything", () => {
    expect(viewOf({}, [EMPTY]).mentions[0]).toMatchObject({
      authorName: "unknown author",
      text: "",
      url: null,
    });
  });
});

describe("a reminder", () => {
  const count = (n: number, minute: number) => ({
    ...{ count: n, windowMs: 30 * MINUTE, at: openedAt + minute * MINUTE, subject: "negative mentions" },
  });
  const progress = { first: count(62, 0), peak: count(214, 30), now: count(22, 240) };
  const alert = {
    ...ALERT,
    progress,
    lastSeenAt: openedAt + 240 * MINUTE,
    values: { count: 214, expected: 11 },
  };
  const view = (kind: AlertViewFacts["kind"], changes: Partial<Alert> = {}) =>
    buildAlertView({
      ...{
        kind,
        alert: { ...alert, ...changes },
        mentions: [{ ...MENTION, text: "so many hours" }],
        project: "Airlines",
        timezone: "UTC",
      },
      ...{ rule: { name: "crisis-spike", description: null }, consoleUrl: null },
    });

  it("has the numbers that its lead compares, also where what grew stands in the headline", () => {
    const because = "62 negative mentions in 30 min, 11 expected at this hour";
    const changes = { because, values: { count: 62, expected: 11 } };
    const grown = view("doubled", changes);
    expect(grown.growth).not.toBeNull();
    expect(grown.lead).toMatch(/^Negative mentions are 6 times/);
    expect(grown.measured).toMatch(/^62 negative mentions in 30 min, 11 expected/);
    expect(view("fired", changes).measured).toBeNull();
    expect(view("reminder", changes).measured).toBeNull();
  });

  it("says what is now, in its subject, too", async () => {
    const renderer = await createRenderer({ folder: "templates" });
    const reminder = view("reminder");
    expect(reminder.growth?.text).toBe("22 negative in 30 min now, 62 when the alert fired");
    expect(reminder.lead).toBeNull();
    const subject = (of: AlertView) => renderer.render("email/alert-subject.header", of);
    expect(subject(reminder)).toBe(
      "[CRITICAL, 4 h] Delta: 22 negative in 30 min now, 62 when the alert fired",
    );
    expect(subject(view("fired"))).toMatch(/^\[CRITICAL\] Delta: /);
    expect(subject(view("resolved", { state: "resolved", resolvedAt: alert.lastSeenAt }))).toMatch(
      /^\[RESOLVED\] Delta: Crisis spike/,
    );
  });

  it("that the end follows still says what it was about, in every format", async () => {
    const renderer = await createRenderer({ folder: "templates" });
    const over = view("resolved", { state: "resolved", resolvedAt: alert.lastSeenAt });
    const slack = JSON.stringify(composeSlack({ kind: "resolved", view: over }, renderer).blocks);
    const texts = [
      slack,
      renderer.render("email/alert.txt", over),
      renderer.render("email/alert.html", over),
    ];
    for (const text of texts) {
      expect(text).toContain("Crisis spike");
      expect(text).toContain("so many hours");
    }
    expect(slack).toContain('"rich_text_quote"');
  });
});

describe("an item of a feed", () => {
  const ITEM = aMention({
    ...{ queryId: "7", resourceId: "item", author: null, authorName: null, sentiment: "neutral" },
    ...{ site: "Local Gazette", url: "https://gazette.example/1" },
    title: "Acme Corp opens an *office* in Lyon",
    text: "The maker of anvils hires 40 people.",
  });
  const single = (item: Mention) => viewOf({ mentions: 1, windowFrom: openedAt, queryName: "acme" }, [item]);

  it("has its headline, its text and the name of its feed in every format", async () => {
    const renderer = await createRenderer({ folder: "templates" });
    const view = single(ITEM);
    expect(view.announcement.text).toBe("Local Gazette mentions acme: “Acme Corp opens an *office* in Lyon”");
    const slack = composeSlack({ kind: "fired", view }, renderer);
    const texts = [
      slack.text.replaceAll("∗", "*"),
      JSON.stringify(slack.blocks),
      renderer.render("email/alert-subject.header", view),
      renderer.render("email/alert.html", view),
      renderer.render("email/alert.txt", view),
    ];
    for (const text of texts) {
      expect(text).toContain("Local Gazette");
      expect(text).toContain("Acme Corp opens an *office* in Lyon");
    }
    for (const text of [texts[1], texts[3], texts[4]]) expect(text).toContain("The maker of anvils hires 40");
    expect(slack.text).toContain("an ∗office∗ in Lyon");
  });

  it("is by its site where the feed has no name", () => {
    const { site: _, ...item } = ITEM;
    expect(single(item).announcement.text).toMatch(/^gazette\.example mentions acme: /);
  });

  it.each([
    ["the same text", "Acme opens", "Acme opens", { title: "Acme opens", text: "" }],
    ["no text", "Acme opens", null, { title: "Acme opens", text: "" }],
    [
      "a text that begins with it",
      "Acme opens…",
      "Acme opens in Lyon",
      { title: null, text: "Acme opens in Lyon" },
    ],
    ["another text", "Acme opens", "In Lyon", { title: "Acme opens", text: "In Lyon" }],
  ])("does not repeat its headline beside %s", (_, title, text, shown) => {
    expect(single({ ...ITEM, title, text }).mentions[0]).toMatchObject(shown);
  });
});

describe("the mentions that are shown", () => {
  it("show each story once, by its original, with its copies counted", () => {
    const original = { ...MENTION, resourceId: "1", text: "Flight gone, and nobody at the gate" };
    const repost = {
      ...MENTION,
      resourceId: "2",
      text: "RT @a: Flight gone, and nobody at the gate",
      repostOf: "1",
      followers: 9,
    };
    const shown = topMentions([repost, original, { ...MENTION, resourceId: "3", text: "Else" }], 5);
    expect(shown.map(({ mention, copies }) => [mention.resourceId, copies])).toEqual([
      ["1", 2],
      ["3", 1],
    ]);
  });

  it("are negative ones first, then those that most people saw, then the earliest", () => {
    const mentions = [
      { ...MENTION, resourceId: "late", text: "c", addedAt: openedAt, publishedAt: openedAt + 1 },
      { ...MENTION, resourceId: "early", text: "d" },
      { ...MENTION, resourceId: "big", text: "a", reach: 1000 },
      { ...MENTION, resourceId: "negative", text: "b", sentiment: "negative" },
    ];
    expect(topMentions(mentions, 9).map(({ mention }) => mention.resourceId)).toEqual([
      "negative",
      "big",
      "early",
      "late",
    ]);
  });

  it("begin with the story that many share, whatever its mood: the alert is about it", () => {
    const shop = Array.from({ length: 3 }, (_, n) => ({
      ...MENTION,
      resourceId: `s${n}`,
      text: "They opened a shop on the moon today",
    }));
    const others = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...MENTION,
        resourceId: `o${n}`,
        text: `other ${n}`,
        sentiment: "negative",
        followers: 9,
      }));
    const first = (mentions: Mention[]) => topMentions(mentions, 5)[0]?.mention.text;
    expect(first([...others(9), ...shop])).toBe("They opened a shop on the moon today");
    expect(first([...others(28), ...shop])).toBe("other 0");
    expect(first([...others(2), ...shop.slice(1)])).toBe("other 0");
  });

  it("without a text are not taken for one another", () => {
    expect(
      topMentions(
        [
          { ...EMPTY, resourceId: "1" },
          { ...EMPTY, resourceId: "2" },
        ],
        5,
      ),
    ).toHaveLength(2);
  });
});
