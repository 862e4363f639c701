import type { Command } from "commander";
import {
  type Suggestion,
  suggestionOf,
  type Threshold,
  thresholdsOf,
  valuesToTry,
  weaknessOf,
  withThreshold,
} from "#lab";
import { compileRule, type Rule } from "#monitor";
import { closestWord } from "../lib/closest-word.ts";
import { didYouMean, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { type Instant, toIso } from "../lib/instant.ts";
import { counted, formatNumber } from "../lib/numbers.ts";
import { readRuleSet } from "./backtest/read-rule-set.ts";
import { addMentionOptions, configOf, type MentionOptions, mentionsFor, simulateAll } from "./backtest.ts";
import { print, printJson } from "./common/print.ts";

interface SuggestOptions extends MentionOptions {
  readonly rules?: string;
  readonly threshold?: string;
  readonly json: boolean;
}

/** What the mentions of a suggestion cover. */
interface MentionCoverage {
  readonly from: Instant;
  readonly to: Instant;
  readonly weeks: number;
  readonly mentions: number;
  readonly queries: number;
}

export function defineSuggestCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command.argument("<rule>", "name of a rule, or its file");
  addMentionOptions(command)
    .option("--rules <folder>", "rules, instead of those of the configuration")
    .option("--threshold <name>", "only this one, such as volume.atLeast or when.followers.atLeast")
    .option("--json", "the curve as JSON", false)
    .addHelpText("after", HELP)
    .action((rule: string, options: SuggestOptions) => suggest(rule, options, env));
}

const HELP = `
Tries other values of the thresholds of a rule on the mentions of the last weeks: how many alerts each would have given,
and which of the real alerts that people acknowledged, or called not relevant, it would have opened. It changes no file.

Examples:
  earshot suggest crisis-spike --last 8w
  earshot suggest influential-negative --threshold when.any[0].followers.atLeast
  earshot suggest rules/refund-storm.yaml --file tweets.jsonl --json | jq '.thresholds[].points'`;

const WEEK_MS = 7 * 86_400_000;

async function suggest(name: string, options: SuggestOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const config = await configOf(options, env);
  const isFile = /\.ya?ml$/.test(name);
  const set = await readRuleSet([isFile ? name : (options.rules ?? config?.rules ?? shippedFolder("rules"))]);
  const rule = isFile ? set.rules[0] : set.rules.find((one) => one.name === name);
  if (rule === undefined) {
    const near = closestWord(
      name,
      set.rules.map((one) => one.name),
    );
    throw new UserError(`there is no rule "${name}"${didYouMean(near)}`);
  }
  const content = set.contents.get(rule.name);
  const thresholds = chosen(thresholdsOf(content), options.threshold, rule.name);
  const variants = thresholds.flatMap((threshold) => variantsOf(rule, content, threshold));
  const opened = await mentionsFor(options, config, env);
  try {
    const [simulated] = await simulateAll(
      opened,
      [variants.map(({ rule }) => ({ ...rule, incident: null }))],
      NOBODY,
    );
    if (simulated === undefined) return;
    const weeks = Math.max(1 / 7, (opened.to - opened.from) / WEEK_MS);
    const judged = opened.alerts.filter((alert) => alert.rule === rule.name);
    const suggestions = thresholds.map((threshold) => {
      const tried = variants
        .filter((one) => one.threshold === threshold)
        .map((one) => ({
          value: one.value,
          alerts: simulated.alerts.filter((alert) => alert.rule === one.rule.name),
        }));
      return suggestionOf(threshold, tried, judged, weeks);
    });
    const seen = {
      from: opened.from,
      to: opened.to,
      weeks,
      mentions: simulated.mentions,
      queries: opened.queries.length,
    };
    if (options.json) printJson(asJson(rule, suggestions, seen));
    else for (const line of suggestions.flatMap((one) => format(rule, one, seen))) print(line);
  } finally {
    await opened.close();
  }
}

function chosen(all: readonly Threshold[], query: string | undefined, rule: string): readonly Threshold[] {
  const names = all.map(({ name }) => name);
  if (all.length === 0)
    throw new UserError(`the rule ${rule} has no threshold to try`, [
      "tried are atLeast of volume, spike, share, new and trend, and of followers, reach, impact and impressions",
    ]);
  if (query === undefined) return all;
  const found = all.filter(({ name }) => name === query);
  if (found.length > 0) return found;
  throw new UserError(`the rule ${rule} has no threshold "${query}"`, [`it has ${names.join(", ")}`]);
}

/** The rule with each value that it can have. */
function variantsOf(
  { name }: Rule,
  content: unknown,
  threshold: Threshold,
): readonly { readonly threshold: Threshold; readonly value: number; readonly rule: Rule }[] {
  return valuesToTry(threshold).flatMap((value) => {
    const own = `${name} ${threshold.name} ${value}`;
    const rule = compileRule(own, withThreshold(content, threshold, value), () => {});
    return rule === undefined ? [] : [{ threshold, value, rule }];
  });
}

/** Only alerts count here. */
const NOBODY = {
  routes: [],
  inhibitions: [],
  escalations: [],
  rotations: [],
  receiver: () => undefined,
  throttled: [],
};

const BAR = 30;

function format({ name }: Rule, suggestion: Suggestion, seen: MentionCoverage): readonly string[] {
  const { threshold, points, oneAWeek, asPeopleSay, judged } = suggestion;
  const { isShare, current } = threshold;
  const most = Math.max(1, ...points.map(({ alerts }) => alerts));
  const isJudged = judged.acknowledged + judged.notRelevant > 0;
  const value = (number: number): string => `${formatNumber(number)}${isShare ? "%" : ""}`;
  return [
    `${name}, ${threshold.name}: now ${value(current)}`,
    `${counted(points.length, "value")} tried on ${counted(seen.mentions, "mention")} of ${counted(seen.queries, "query", "queries")}, ${toIso(seen.from).slice(0, 10)} to ${toIso(seen.to).slice(0, 10)} (${seen.weeks.toFixed(1)} weeks)`,
    "",
    `${"at least".padStart(10)}  ${"a week".padStart(7)}  alerts${isJudged ? `${" ".repeat(BAR - 1)}acknowledged  not relevant` : ""}`,
    ...points.map((point) => {
      const bar = "█".repeat(Math.ceil((point.alerts / most) * BAR)).padEnd(BAR);
      const people = isJudged
        ? `  ${`${point.caught} of ${judged.acknowledged}`.padStart(12)}  ${`${point.notRelevant} of ${judged.notRelevant}`.padStart(12)}`
        : "";
      const mark = point.isCurrent ? "›" : " ";
      return `${mark}${value(point.value).padStart(9)}  ${String(point.alertsAWeek).padStart(7)}  ${bar} ${String(point.alerts).padStart(4)}${people}`.trimEnd();
    }),
    "",
    oneAWeek === null
      ? "No value that was tried gives an alert, and at most one a week."
      : `One alert a week at most: at least ${value(oneAWeek)}.`,
    ...(judged.acknowledged === 0
      ? []
      : [
          asPeopleSay === null
            ? "No value catches every alert that people acknowledged and none that they called not relevant."
            : `All that people acknowledged and nothing that they called not relevant: at least ${value(asPeopleSay)}.`,
        ]),
    ...weaknessOf(suggestion, seen).map((weakness) => `Careful: ${weakness}.`),
    "Nothing was changed; earshot backtest --against shows what a change would do.",
    "",
  ];
}

function asJson({ name }: Rule, suggestions: readonly Suggestion[], seen: MentionCoverage) {
  return {
    rule: name,
    from: toIso(seen.from),
    to: toIso(seen.to),
    weeks: seen.weeks,
    mentions: seen.mentions,
    queries: seen.queries,
    thresholds: suggestions.map(({ threshold, ...suggestion }) => ({
      threshold: threshold.name,
      unit: threshold.isShare ? "percent" : "count",
      current: threshold.current,
      tried: suggestion.points.length,
      ...suggestion,
      warnings: weaknessOf({ threshold, ...suggestion }, seen),
    })),
  };
}
