import { stringify } from "yaml";
import type { Severity } from "../model/severity.ts";

/** What somebody wants to be notified of, and the rule that says so. */
interface DraftKind {
  readonly kind: string;
  /** As a choice: "one angry influencer". */
  readonly choice: string;
  /** Default name, title and severity. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly severity: Severity;
  /** Whether the rule is about words that the user names. */
  readonly asksWords?: true;
  /** A comment below `severity`: how it could have steps. */
  readonly steps?: string;
  /** The conditions, with comments; `words` as a list in YAML. */
  body(words: string): string;
}

/** Every kind of draft, in the order of the dialogue. */
export const DRAFT_KINDS: readonly DraftKind[] = [
  {
    kind: "influencer",
    choice: "one angry influencer: an account with many followers is unhappy",
    name: "angry-influencer",
    title: "An influential account is unhappy",
    description: "A verified or large account writes something negative. One alert for each author.",
    severity: "warning",
    steps: "{ warning: always, critical: { followers: 1000000 } }",
    body: () => `# Everything here must match.
when:
  sentiment: negative
  # One of these is enough. Lower numbers mean more alerts.
  any:
    - followers: { atLeast: 50000 }
    - { verified: true, followers: { atLeast: 5000 } }

# One alert for each author. Without it: one alert for each query.
groupBy: author

# The alert is resolved after this time without another such mention.
over: { after: 12h }
`,
  },
  {
    kind: "volume",
    choice: "many negative mentions: a fixed number in a fixed time",
    name: "many-negative-mentions",
    title: "Many negative mentions",
    description: "Many negative mentions in a short time.",
    severity: "warning",
    steps: "{ warning: always, critical: { atLeast: 200, within: 30m } }",
    body: () => `# The mentions that are counted.
when:
  sentiment: negative

# At least so many in this time. "count: authors" would count each author once.
volume: { atLeast: 50, within: 30m }

# The count must stay so for this time before anybody is notified. 0s: at once.
for: 0s
`,
  },
  {
    kind: "spike",
    choice: "far more than usual: Earshot learns what is usual at each hour of the week",
    name: "far-more-than-usual",
    title: "Far more mentions than usual",
    description: "Far more mentions than this query usually has at this hour of the week.",
    severity: "warning",
    steps: "{ warning: always, critical: { atLeast: 200, within: 1h } }",
    body: () => `# The mentions that are counted. Without it: all of them.
# when: { sentiment: negative }

# A time with fewer mentions than "atLeast" never opens an alert: take the smallest number that matters to you.
# More keys: "authors: 10" (so many different authors), "count: stories" (reposts of one text count once).
spike: { atLeast: 20 }
`,
  },
  {
    kind: "topic",
    choice: "a topic: somebody uses one of your words",
    name: "topic",
    title: "A topic that we watch",
    description: "Somebody writes about a topic that we watch.",
    severity: "info",
    asksWords: true,
    steps: "{ info: always, warning: { story: 20 } }",
    body: (words) => `# Everything here must match.
when:
  # Whole words and phrases, in any case; a * at the end stands for any ending.
  keyword: ${words}
  # Leaves out praise.
  not: { sentiment: positive }

# One alert for each story: a text with all its reposts and copies.
groupBy: story

# The alert is resolved after this time without another such mention.
over: { after: 12h }
`,
  },
  {
    kind: "absence",
    choice: "silence of a query: almost nothing at an hour at which people usually write",
    name: "query-is-silent",
    title: "A query has fallen silent",
    description: "Almost no mentions at an hour at which people usually write. Is the query still right?",
    severity: "warning",
    body: () => `# In this time, at most this share of the usual number came. Judged only where at least "expected" are usual.
absence: { within: 4h, atMost: 10%, expected: 20 }
`,
  },
  {
    kind: "trend",
    choice: "a slow change: every day of the last days is above its weekday before",
    name: "complaints-on-the-rise",
    title: "Complaints are rising",
    description: "For days there have been more negative mentions than on the same weekdays before.",
    severity: "info",
    body: () => `# The mentions that are counted.
when:
  sentiment: negative

# So much above the same weekdays before, on each of these days. "falling: 30%" is the opposite.
# Days with fewer mentions than "atLeast" say nothing. Needs two weeks of history.
trend: { rising: 30%, over: 3d, atLeast: 20 }
`,
  },
  {
    kind: "new",
    choice: "something new: a hashtag (or site, or author) that nobody used before is already large",
    name: "something-new",
    title: "A new hashtag spreads",
    description: "A hashtag that nobody used here before is already used by many people.",
    severity: "warning",
    body: () => `# What: hashtag, domain or author. So many different people must use it within a day of its first mention.
# Fires nothing in its first three days, when everything is new.
new: { what: hashtag, atLeast: 20 }
`,
  },
  {
    kind: "share",
    choice: "the mood turns: a larger part of the mentions than usual is negative",
    name: "mood-turns",
    title: "The mood has turned",
    description: "A large part of the mentions is negative, and clearly more of it than usual.",
    severity: "warning",
    steps: "{ warning: always, critical: { atLeast: 70% } }",
    body: () => `share:
  # The part that is measured.
  of:
    sentiment: negative
  # At least this part of all mentions, and so many percentage points above what is usual for this query …
  atLeast: 40%
  aboveUsual: 15%
  # … in this time, as soon as it has so many mentions.
  within: 1h
  among: 40

# It must stay so for this time before anybody is notified.
for: 15m
`,
  },
];

export interface DraftAnswers {
  readonly title: string;
  readonly severity: Severity;
  /** Names or ids; empty for all queries. */
  readonly queries: readonly string[];
  /** For a kind that asks for words; empty for the others. */
  readonly words: readonly string[];
}

/** The text of a rule file that can be used as it is. `schemaLine`: the comment that names its JSON Schema. */
export function draftRule(
  { description, steps, body }: DraftKind,
  { title, severity, queries, words }: DraftAnswers,
  schemaLine: string,
): string {
  const sections = [
    `${schemaLine}
# docs/rules.md explains rules. Change what you like: earshot check finds mistakes.
`,
    `# What messages call the alert: read by somebody who may be woken at night.
title: ${inYaml(title)}
# What they should know.
description: ${inYaml(description)}
`,
    `# info: read it today. warning: look now. critical: wake somebody.
severity: ${severity}
${steps === undefined ? "" : `# Or in steps: severity: ${steps}\n`}`,
    `# Names of queries (* stands for any characters) or ids. Without it: all queries.
${queries.length === 0 ? '# queries: ["Acme*"]' : `queries: ${listInYaml(queries)}`}
`,
    body(listInYaml(words)),
  ];
  return sections.join("\n");
}

/** A text in YAML: as a value of its own, or in a list between brackets. */
export function inYaml(text: string, within: "block" | "flow" = "block"): string {
  // A line break in a list would break the list, and blanks at an end would be lost.
  if (/[\p{Cc}\p{Zl}\p{Zp}]|^\s|\s$/u.test(text)) return JSON.stringify(text);
  const plain = { lineWidth: 0, blockQuote: false } as const;
  if (within === "block") return stringify(text, plain).trimEnd();
  return stringify([text], { ...plain, collectionStyle: "flow", flowCollectionPadding: false })
    .trim()
    .slice(1, -1);
}

export function listInYaml(texts: readonly string[]): string {
  return `[${texts.map((text) => inYaml(text, "flow")).join(", ")}]`;
}
