import type { ExpectedWorld } from "./ledger.ts";
import {
  SCENARIO_ALERTS,
  SCENARIO_MESSAGES,
  SCENARIO_OPTIONAL,
  SCENARIO_ROUTES,
  SCENARIO_RULES,
} from "./scenario.ts";
import type { PlannedMention } from "./stream.ts";

/**
 * What has to be stored, counted, alerted and sent for the stream and the scenario, by the rules of `RULES`: computed
 * here, not by Earshot.
 */
export function expectedOf(
  mentions: readonly PlannedMention[],
  { withScenario }: { readonly withScenario: boolean },
): ExpectedWorld {
  const recalls = mentions.filter(({ text }) => text.includes("recall"));
  const negative = mentions.filter((mention) => lastSentiment(mention) === "negative");
  const alerts = (rule: string, about: readonly PlannedMention[]) => [
    ...new Set(about.map(({ query, author }) => `${rule} ${query} ${author}`)),
  ];
  const messages = (channel: string, about: readonly PlannedMention[]) => [
    ...new Set(about.map(({ author }) => `${channel} ${author}`)),
  ];
  return {
    mentions: new Map(mentions.map((one) => [`${one.query} ${one.resourceId}`, lastSentiment(one)])),
    counts: new Map([...countBy("all", mentions), ...countBy("negative", negative)]),
    alerts: [
      ...alerts("recall-words", recalls),
      ...alerts("somebody-is-unhappy", negative),
      ...(withScenario ? SCENARIO_ALERTS : []),
    ],
    sent: [
      ...messages("#recalls", recalls),
      ...messages("#unhappy", negative),
      ...messages("team", negative),
      ...(withScenario ? SCENARIO_MESSAGES : []),
    ],
    may: withScenario ? SCENARIO_OPTIONAL : [],
  };
}

/** Text of the rule files, by name. */
export const RULES: Readonly<Record<string, string>> = {
  ...SCENARIO_RULES,
  "recall-words": `
description: Somebody mentions a recall.
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
  ...SCENARIO_ROUTES,
  {
    match: { severity: "critical" },
    receivers: ["unhappy", "team"],
    repeatEvery: "never",
    sendResolved: false,
  },
  { match: { severity: "warning" }, receivers: ["recalls"], repeatEvery: "never", sendResolved: false },
];

function lastSentiment({ sentiment, turnsAt }: PlannedMention): string {
  return turnsAt === null ? sentiment : "negative";
}

function countBy(series: string, mentions: readonly PlannedMention[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { query } of mentions)
    counts.set(`${series} ${query}`, (counts.get(`${series} ${query}`) ?? 0) + 1);
  return counts;
}
