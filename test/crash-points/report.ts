import { formatDuration } from "../../src/lib/duration.ts";
import { groupBy } from "../../src/lib/group-by.ts";
import { POST } from "./gate.ts";
import type { CrashReport, Outcome } from "./run.ts";

/** Whether something differed, or was chosen and not played. */
export function isBroken({ outcomes, chosen }: Pick<CrashReport, "outcomes" | "chosen">): boolean {
  return (
    chosen === 0 ||
    outcomes.length < chosen ||
    outcomes.some((one) => one.outcome !== "same" && !isPostedInTheGap(one))
  );
}

/** Paused after its last check and before Slack has accepted: it cannot know, and the message is posted twice. */
function isPostedInTheGap({ outcome, difference, ...one }: Outcome): boolean {
  return (
    outcome === "different" && isInTheGap(one) && difference.every((line) => line.startsWith("+ slack #"))
  );
}

function isInTheGap({ fate, point, stoodInGap }: Pick<Outcome, "fate" | "point" | "stoodInGap">): boolean {
  return fate === "hold" && (stoodInGap || (point.side === "before" && point.name === POST));
}

/** A table of how many points there are, of which kind, and what was not the same, with the statement and the difference. */
export function formatCrashReport({ options, steps, cases, chosen, outcomes, tookMs }: CrashReport): string {
  const rows = [
    ["chapter", "mode", "fate", "at", "points", "played", "same", "different", "did not come", "failed"],
  ];
  const kindOf = ({ chapter, mode, fate, point }: Outcome | CrashReport["cases"][number]) =>
    [chapter, mode, fate, point.peer].join("\t");
  const played = groupBy(outcomes, kindOf);
  const count = (its: readonly Outcome[], outcome: Outcome["outcome"]) =>
    its.filter((one) => one.outcome === outcome).length;
  const figures = (points: number, its: readonly Outcome[]) => [
    ...[points, its.length, count(its, "same"), count(its, "different")],
    ...[count(its, "not-reached"), count(its, "failed")],
  ];
  for (const [kind, all] of groupBy(cases, kindOf))
    rows.push([...kind.split("\t"), ...figures(all.length, played.get(kind) ?? []).map(String)]);
  rows.push(["all", "", "", "", ...figures(cases.length, outcomes).map(String)]);
  const repeated = outcomes.reduce((sum, one) => sum + one.repeated, 0);
  return [
    `Crash points: queue on ${options.queue}, seed ${options.seed}, share ${options.share} of 100, from point ${options.from}`,
    `Seen: ${Object.entries(steps)
      .map(([peer, n]) => `${n} at ${peer}`)
      .join(
        ", ",
      )}. A death inside of a transaction takes it back, and one before a step leaves what one after the step before it left.`,
    "",
    ...table(rows),
    "",
    ...(outcomes.length < chosen
      ? [`NOT PLAYED: ${chosen - outcomes.length} of the ${chosen} points that were chosen.`]
      : []),
    `It took ${formatDuration(Math.round(tookMs / 1_000) * 1_000)}.`,
    `${repeated} mails and posts to the webhook came twice under one Message-ID or Idempotency-Key: the worker died between the answer and its own note of it.`,
    `${outcomes.filter(isPostedInTheGap).length} of ${outcomes.filter(isInTheGap).length} workers that were held between their last look and Slack's acceptance posted twice (without --every, another message than that of the point): no check can close that gap.`,
    ...outcomes.filter(({ outcome }) => outcome !== "same").flatMap(describeOutcome),
    "",
  ].join("\n");
}

function describeOutcome({ k, chapter, mode, fate, point, outcome, difference }: Outcome): string[] {
  return [
    "",
    `point ${k} (${chapter}, ${mode}): ${outcome}; ${DONE[fate]} ${point.side} number ${point.nth} at ${point.peer} of`,
    `  ${point.name.slice(0, MOST_TEXT)}`,
    ...difference.slice(0, MOST_LINES).map((line) => `    ${line.slice(0, MOST_TEXT)}`),
    ...(difference.length > MOST_LINES ? [`    and ${difference.length - MOST_LINES} lines more`] : []),
  ];
}

const DONE = { kill: "killed", hold: "held", twice: "killed, as was who took over," } as const;
const MOST_LINES = 12;
const MOST_TEXT = 700;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column < 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
