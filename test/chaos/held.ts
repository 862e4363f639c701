import type { Held } from "./ledger.ts";
import type { Outgoing } from "./stream.ts";
import { TALE_ALERTS, TALE_MAY, TALE_ROUTES, TALE_RULES, TALE_TOLD } from "./tale.ts";

/**
 * What has to be stored, counted, alerted and sent for the stream and the tale, by the rules of `RULES`: computed here,
 * not by Earshot.
 */
export function heldOf(sayings: readonly Outgoing[], { withTale }: { readonly withTale: boolean }): Held {
  const recalls = sayings.filter(({ text }) => text.includes("recall"));
  const negative = sayings.filter((saying) => lastSentiment(saying) === "negative");
  const alerts = (rule: string, about: readonly Outgoing[]) => [
    ...new Set(about.map(({ query, author }) => `${rule} ${query} ${author}`)),
  ];
  const told = (place: string, about: readonly Outgoing[]) => [
    ...new Set(about.map(({ author }) => `${place} ${author}`)),
  ];
  return {
    mentions: new Map(sayings.map((one) => [`${one.query} ${one.resourceId}`, lastSentiment(one)])),
    counts: new Map([...tally("all", sayings), ...tally("negative", negative)]),
    alerts: [
      ...alerts("recall-words", recalls),
      ...alerts("somebody-is-unhappy", negative),
      ...(withTale ? TALE_ALERTS : []),
    ],
    told: [
      ...told("#recalls", recalls),
      ...told("#unhappy", negative),
      ...told("desk", negative),
      ...(withTale ? TALE_TOLD : []),
    ],
    may: withTale ? TALE_MAY : [],
  };
}

/** Text of the rule files, by name. */
export const RULES: Readonly<Record<string, string>> = {
  ...TALE_RULES,
  "recall-words": `
description: Somebody speaks of a recall.
severity: warning
when: { keyword: recall }
groupBy: author
over: { after: 30d }
`,
  "somebody-is-unhappy": `
description: Somebody is unhappy, from the start or later.
severity: critical
when: { sentiment: negative }
groupBy: author
over: { after: 30d }
`,
  "count-all":
    "description: Counted, and never met.\nseverity: info\nvolume: { atLeast: 9000000, within: 1h }\n",
  "count-negative":
    "description: Counted, and never met.\nseverity: info\nwhen: { sentiment: negative }\nvolume: { atLeast: 9000000, within: 1h }\n",
};

/** For the stream, one message for each alert and receiver: growth and ends are not sent. */
export const ROUTES = [
  ...TALE_ROUTES,
  {
    match: { severity: "critical" },
    receivers: ["unhappy", "desk"],
    repeatEvery: "never",
    sendResolved: false,
  },
  { match: { severity: "warning" }, receivers: ["recalls"], repeatEvery: "never", sendResolved: false },
];

function lastSentiment({ sentiment, turnsAt }: Outgoing): string {
  return turnsAt === null ? sentiment : "negative";
}

function tally(series: string, sayings: readonly Outgoing[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { query } of sayings)
    counts.set(`${series} ${query}`, (counts.get(`${series} ${query}`) ?? 0) + 1);
  return counts;
}
