import { wordsOf } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import type { RuleTestResult } from "./rule-test-runner.ts";
import type { RuleTestRun } from "./run-rule-test.ts";
import type { StoryMention } from "./story.ts";

/** One test for a terminal: a line, and for one that failed, what happened instead. */
export function reportLines(result: RuleTestResult): string[] {
  const { name, description, outcome, failures, run, tookMs } = result;
  const mark = { Passed: "passed", Failed: "FAILED", Broken: "BROKEN" }[outcome];
  const title = `${mark}  ${name}${description === null ? "" : `: ${description}`}  (${formatSeconds(tookMs)})`;
  if (outcome === "Passed") return [result.wroteSnapshot ? `${title}  snapshot written` : title];
  if (run === null) return [title, ...failures.map(({ message }) => `    ${message}`)];
  return [
    title,
    ...failures.map(({ line, message }) => `    ${result.file}:${line}  ${message}`),
    "",
    "    What happened",
    ...timeline(run, result.show).map((line) => `      ${line}`),
    ...whyLines(run).map((line) => `    ${line}`),
    "",
  ];
}

/** `0.8 s`: whole seconds hide whether a test became slow. */
export function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** The story, the life of the alerts and the messages, in order of time. */
export function timeline({ story, observed }: RuleTestRun, show: (at: Instant) => string): string[] {
  const names = new Map(observed.alerts.map(({ id, rule }) => [id, rule]));
  const lines = [
    ...burstsOf(story.mentions).map(({ at, text }) => ({ at, order: 0, text: `story     ${text}` })),
    ...story.changes
      .filter(({ at }, index, all) => index === 0 || all[index - 1]?.at !== at)
      .map(({ at, sentiment }) => ({
        at,
        order: 0,
        text: `story     ${story.changes.filter((one) => one.at === at).length} mentions become ${sentiment}`,
      })),
    ...story.actions.map((one) => ({ at: one.at, order: 0, text: `person    ${one.do} ${one.rule}` })),
    ...observed.alerts.flatMap(({ rule, query, seen }) =>
      seen.map(({ at, state, severity }) => ({
        at,
        order: 1,
        text: `alert     ${rule} of ${query}: ${state}, ${severity}`,
      })),
    ),
    ...observed.history.map(({ at, alertId, what, detail }) => ({
      at,
      order: 2,
      text: `decided   ${names.get(alertId) ?? ""}: ${wordsOf(what)}${detail === "" ? "" : `: ${detail}`}`,
    })),
    ...observed.messages
      .filter(({ isEdit }) => !isEdit)
      .map(({ at, kind, receiver, text }) => ({
        at,
        order: 3,
        text: `sent      ${kind} to ${receiver}: ${inBrief(text)}`,
      })),
  ];
  return lines.sort((a, b) => a.at - b.at || a.order - b.order).map(({ at, text }) => `${show(at)}  ${text}`);
}

/** Mentions of a step stand in one line. */
function burstsOf(mentions: readonly StoryMention[]): { at: Instant; text: string }[] {
  const bursts: { at: Instant; last: Instant; count: number; first: StoryMention }[] = [];
  for (const mention of mentions) {
    if (!mention.resourceId.startsWith("story-")) continue;
    const before = bursts.find(({ first }) => first.details === mention.details);
    if (before === undefined) bursts.push({ at: mention.at, last: mention.at, count: 1, first: mention });
    else Object.assign(before, { last: mention.at, count: before.count + 1 });
  }
  return bursts.map(({ at, last, count, first }) => ({
    at,
    text: `${count} ${first.sentiment} ${count === 1 ? "mention" : "mentions"} of ${first.query}${last > at ? ` within ${formatDuration(last - at)}` : ""}: ${inBrief(first.text)}`,
  }));
}

/** Why the rule of the test did what it did, for the last mention of the story. */
function whyLines({ why }: RuleTestRun): string[] {
  return why.flatMap(({ mention, queryName, rules }) => [
    "",
    `Why, by the last mention of the story (${mention.resourceId} in ${queryName})`,
    ...rules.map(
      ({ rule, met, because, matchedAt }) =>
        `  ${rule}: ${matchedAt === null ? (met ? "counted" : "not met") : "met"}${because === null ? "" : `: ${because}`}`,
    ),
  ]);
}

function inBrief(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `"${line.slice(0, 100)}…"` : `"${line}"`;
}

/** All results as JUnit XML, which CI servers read. */
export function junitXml(results: readonly RuleTestResult[]): string {
  const failed = results.filter(({ outcome }) => outcome === "Failed").length;
  const broken = results.filter(({ outcome }) => outcome === "Broken").length;
  const total = results.reduce((sum, { tookMs }) => sum + tookMs, 0);
  const counts = `tests="${results.length}" failures="${failed}" errors="${broken}" time="${seconds(total)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="rule tests" ${counts}>`,
    ...results.map(testCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(result: RuleTestResult): string {
  const { name, file, outcome, failures, tookMs } = result;
  const start = `    <testcase name="${escapeXml(name)}" classname="rules" file="${escapeXml(file)}" time="${seconds(tookMs)}"`;
  if (outcome === "Passed") return `${start}/>`;
  const element = outcome === "Failed" ? "failure" : "error";
  const message = failures.map(({ line, message: one }) => `line ${line}: ${one}`).join("\n");
  const details = reportLines(result).join("\n");
  return [
    `${start}>`,
    `      <${element} message="${escapeXml(message)}">${escapeXml(details)}</${element}>`,
    "    </testcase>",
  ].join("\n");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Also removes characters that XML cannot hold. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "�")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
