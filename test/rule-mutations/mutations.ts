import type { Config } from "../../src/admin/config/config.ts";
import { WEEKDAYS } from "../../src/lib/local-time.ts";

/** A deliberate mistake in a rule, in the configuration around it, or in a template. */
export type Mutation =
  | {
      readonly name: string;
      readonly in: "rule";
      /** The text of the rule with the mistake; the same text where it has no place for this one. */
      readonly apply: (text: string) => string;
    }
  | { readonly name: string; readonly in: "config"; readonly apply: (config: Config) => Config }
  | {
      readonly name: string;
      readonly in: "template";
      readonly file: string;
      readonly apply: (text: string) => string;
    };

/** Replaces every number behind the first of these keys that the text has. */
function scaled(text: string, factor: number): string {
  const key = ["atLeast: ", "followers: "].find((one) => new RegExp(`${one}\\d`).test(text));
  if (key === undefined) return text;
  return text.replaceAll(
    new RegExp(`(${key})(\\d+)(%?)`, "g"),
    (_, name: string, number: string, unit: string) => {
      const changed = Math.max(1, Math.round(Number(number) * factor));
      return `${name}${unit === "%" ? Math.min(100, changed) : changed}${unit}`;
    },
  );
}

const CALM = { negative: "positive", positive: "neutral" } as const;

export const MUTATIONS: readonly Mutation[] = [
  { name: "limits halved", in: "rule", apply: (text) => scaled(text, 0.5) },
  { name: "limits doubled", in: "rule", apply: (text) => scaled(text, 2) },
  {
    name: "wrong sentiment",
    in: "rule",
    apply: (text) =>
      text.replaceAll(
        /(sentiment: )(negative|positive)/g,
        (_, key: string, value: keyof typeof CALM) => key + CALM[value],
      ),
  },
  {
    name: "words and categories lost",
    in: "rule",
    apply: (text) =>
      text
        .replace(/ {2}keyword:\n( {4}- .*\n)+/, "  keyword: nothing\n")
        .replace(/category: \[.*\]/, "category: Nothing"),
  },
  {
    name: "window an eighth",
    in: "rule",
    apply: (text) =>
      text.replaceAll(/within: (\d+)(h|m)/g, (_, count: string, unit: string) => {
        const minutes = (Number(count) * (unit === "h" ? 60 : 1)) / 8;
        return `within: ${Math.max(5, Math.round(minutes / 5) * 5)}m`;
      }),
  },
  { name: "`for` lost", in: "rule", apply: (text) => text.replace(/\nfor: .*/, "") },
  { name: "`for` two hours", in: "rule", apply: (text) => text.replace(/\nfor: .*/, "\nfor: 2h") },
  { name: "counts mentions", in: "rule", apply: (text) => text.replace(/\n {2}count: .*/, "") },
  {
    name: "severity lost",
    in: "rule",
    apply: (text) => text.replace(/severity:\n {2}(\w+): always\n( {2}.*\n)+/, "severity: $1\n"),
  },
  {
    name: "severity too high",
    in: "rule",
    apply: (text) =>
      text.replace(/severity:(?: (?:info|warning)|\n {2}\w+: always\n( {2}.*\n)+)/, "severity: critical\n"),
  },
  {
    name: "never over",
    in: "rule",
    apply: (text) => `${text.replace(/\nover:\n {2}after: .*/, "")}over: { after: 30d }\n`,
  },
  { name: "not grouped", in: "rule", apply: (text) => text.replace(/\ngroupBy: .*/, "") },
  {
    name: "another route",
    in: "config",
    apply: (config) => ({
      ...config,
      routes: config.routes.map((route) => ({ ...route, receivers: ["stakeholders"] })),
    }),
  },
  {
    name: "quiet hours",
    in: "config",
    apply: (config) => ({
      ...config,
      receivers: config.receivers.map((receiver) => ({
        ...receiver,
        quietHours: [
          {
            timezone: "UTC",
            from: 0,
            to: 24 * 60 - 5,
            days: [...WEEKDAYS],
            breakThrough: "nothing" as const,
            notifyAfterwards: "nothing" as const,
          },
        ],
      })),
    }),
  },
  {
    name: "template without news",
    in: "template",
    file: "slack/alert-headline.header.hbs",
    apply: () => "Something happened\n",
  },
];
