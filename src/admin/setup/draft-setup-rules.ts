import { inYaml, listInYaml } from "#monitor";

/** Comments that name the JSON Schemas, by the kind of file. */
export interface SchemaLines {
  readonly config: string;
  readonly rule: string;
  readonly test: string;
}

interface Brands {
  readonly brand: string;
  readonly rivals: readonly string[];
}

interface SetupRule {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly severity: string;
  readonly queries: readonly string[];
  /** YAML, with comments. */
  readonly body: string;
  /** The test: what it shows, and YAML from `start` on. */
  readonly shows: string;
  readonly test: string;
}

/** A handful of rules that fit public feeds, and a test of each, by path in the folder of rules. */
export function draftSetupRules(
  brands: Brands,
  schemas: SchemaLines,
): readonly { readonly path: string; readonly text: string }[] {
  return rulesOf(brands).flatMap((rule) => [
    { path: `${rule.name}.yaml`, text: ruleText(rule, schemas.rule) },
    { path: `tests/${rule.name}.test.yaml`, text: testText(rule, schemas.test) },
  ]);
}

function ruleText({ title, description, severity, queries, body }: SetupRule, schemaLine: string): string {
  return `${schemaLine}
title: ${inYaml(title)}
description: ${inYaml(description)}
# info: read it today. warning: look now. critical: wake somebody.
severity: ${severity}
queries: ${listInYaml(queries)}
${body}`;
}

function testText({ name, queries, shows, test }: SetupRule, schemaLine: string): string {
  return `${schemaLine}
rule: ${name}
description: ${inYaml(shows)}
start: 2026-03-02T08:00 Europe/Berlin
queries: ${listInYaml(queries.slice(0, 1))}
${test}`;
}

/** A title has 80 characters at most. */
function short(brand: string): string {
  return brand.length > 40 ? `${brand.slice(0, 39)}…` : brand;
}

function rulesOf({ brand, rivals }: Brands): readonly SetupRule[] {
  const name = short(brand);
  const queries = [brand];
  const unusual = {
    ...{ name: "far-more-than-usual", severity: "warning", queries },
    title: `Far more is written about ${name} than usual`,
    description:
      "More stories than this brand usually has at this hour of the week. It learns for some days first.",
    ...waveRule("warning"),
    shows: "a wave is reported, a usual morning is not",
  };
  const rival = {
    ...{ name: "rival-in-the-news", severity: "info", queries: rivals },
    title: "Far more is written about a rival than usual",
    description:
      "More stories than this rival usually has at this hour of the week. It learns for some days first.",
    ...waveRule("info"),
    shows: "a wave about a rival is reported",
  };
  return [
    newStory(name, queries),
    pressStory(name, queries),
    negativeStory(name, queries),
    unusual,
    goneQuiet(name, queries),
    ...(rivals.length === 0 ? [] : [rival]),
  ];
}

/** A spike of stories, and its test. */
function waveRule(severity: string): Pick<SetupRule, "body" | "test"> {
  return {
    body: `# At least so many stories; copies of one text count once.
spike: { atLeast: 10, count: stories }
`,
    test: `usual: { mentions: 2 per hour, days: 14 }
story:
  - { at: "10:00", mentions: 40 within 20m }
expect:
  - { never: { alert: any, before: "10:00" } }
  - { by: "10:30", alert: firing, severity: ${severity}, to: [comms] }
`,
  };
}

function newStory(name: string, queries: readonly string[]): SetupRule {
  return {
    ...{ name: "new-story", severity: "info", queries },
    title: `Somebody writes about ${name}`,
    description: "A new story that names the brand. Unhappy ones and the press have rules of their own.",
    body: `when:
  not:
    any:
      - sentiment: negative
      - pageType: news
      - followers: { atLeast: 10000 }
      - verified: true
# One alert for each story: a text with all its copies.
groupBy: story
over: { after: 12h }
`,
    shows: "friendly posts are reported, an unhappy one is left to the rule for those",
    test: `story:
  - { at: "09:00", mentions: 2 within 1m, text: [We like their new kettle, The tea is ready at once], sentiment: positive, pageType: blog }
  - { at: "11:00", mentions: 1, text: This kettle leaks, sentiment: negative, pageType: blog }
expect:
  - { by: "09:05", alert: firing, severity: info, to: [comms] }
  - { never: { to: [comms], after: "10:30" } }
`,
  };
}

function pressStory(name: string, queries: readonly string[]): SetupRule {
  return {
    ...{ name: "press-story", severity: "warning", queries },
    title: `The press or a large account names ${name}`,
    description: "A news site, or an account with many followers, names the brand.",
    body: `when:
  # One of these is enough. Lower numbers mean more alerts.
  any:
    - pageType: news
    - followers: { atLeast: 10000 }
    - verified: true
  not: { sentiment: negative }
# One alert for each story: a text with all its copies.
groupBy: story
over: { after: 12h }
`,
    shows: "a newspaper is reported, a small blog is not",
    test: `story:
  - { at: "09:00", mentions: 1, text: A small blog likes the kettle, pageType: blog }
  - { at: "10:00", mentions: 1, text: The kettle of the year, pageType: news, domain: news.example }
  - { at: "12:00", mentions: 1, text: My kettle and I, pageType: twitter, followers: 20000 }
expect:
  - { never: { alert: any, before: "09:59" } }
  - { by: "10:05", alert: firing, severity: warning, to: [comms] }
  - { by: "12:05", after: "12:00", alert: firing, to: [comms] }
`,
  };
}

function negativeStory(name: string, queries: readonly string[]): SetupRule {
  return {
    ...{ name: "negative-story", severity: "{ warning: always, critical: { story: 20 } }", queries },
    title: `Somebody is unhappy with ${name}`,
    description: "An unhappy story. Critical when twenty repeat it.",
    body: `when:
  sentiment: negative
# One alert for each story: a text with all its copies.
groupBy: story
over: { after: 12h }
`,
    shows: "an unhappy post is a warning, and critical when twenty repeat it",
    test: `story:
  - { at: "09:00", mentions: 1, text: This kettle leaks, sentiment: negative }
  - { at: "10:00", mentions: 1, text: We like their kettle, sentiment: positive }
  - { at: "11:00", mentions: 20 within 30m, text: The kettle caught fire in my kitchen, sentiment: negative }
expect:
  - { by: "09:05", alert: firing, severity: warning, to: [comms] }
  - { never: { severity: critical, before: "11:15" } }
  - { by: "11:35", alert: firing, severity: critical, to: [comms] }
`,
  };
}

function goneQuiet(name: string, queries: readonly string[]): SetupRule {
  return {
    ...{ name: "gone-quiet", severity: "info", queries },
    title: `Nobody writes about ${name} any more`,
    description:
      "Almost nothing in half a day in which people usually write. Is the query still right? See earshot feeds.",
    body: `# Judged only where at least "expected" are usual, so a brand with few mentions never opens it.
absence: { within: 12h, atMost: 10%, expected: 10 }
`,
    shows: "silence after busy days is reported",
    test: `usual: { mentions: 6 per hour, days: 14, goesOn: false }
story:
  - { at: "08:00", mentions: 1 }
until: day 2 02:00
expect:
  - { by: "day 2 01:00", alert: firing, severity: info, to: [comms] }
`,
  };
}
