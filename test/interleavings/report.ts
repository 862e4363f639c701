import { formatDuration } from "../../src/lib/duration.ts";
import type { Outcome } from "./play-pair.ts";
import type { Report } from "./run.ts";

/** Whether something differed, was not reached, or was chosen and not played. */
export function isBroken({ pairs, left }: Report): boolean {
  return (
    left.length > 0 ||
    pairs.length === 0 ||
    pairs.some(
      ({ chosen, outcomes }) =>
        chosen === 0 || outcomes.length < chosen || outcomes.some(({ outcome }) => outcome !== "same"),
    )
  );
}

export function formatReport({ options, pairs, left, tookMs }: Report): string {
  const rows = pairs.map(({ pair, points, chosen, outcomes }) => [
    pair,
    ...[
      points,
      outcomes.length,
      count(outcomes, "different"),
      count(outcomes, "late"),
      count(outcomes, "not-reached", "failed"),
    ].map(String),
    String(outcomes.filter(({ hasWaited }) => hasWaited).length),
    outcomes.length < chosen ? `${chosen - outcomes.length} NOT PLAYED` : "",
  ]);
  const all = pairs.flatMap(({ outcomes }) => outcomes);
  const points = pairs.reduce((sum, one) => sum + one.points, 0);
  return [
    `Interleavings: seed ${options.seed}, share ${options.share} of 100`,
    "",
    ...table([["pair", "points", "played", "different", "late", "failed", "waited", ""], ...rows]),
    "",
    `${pairs.length} pairs × ${points} points: ${all.length} played, ${count(all, "different")} different, ${count(all, "late")} late, ${count(all, "not-reached", "failed")} failed; in ${all.filter(({ hasWaited }) => hasWaited).length} the other task waited for a lock.`,
    `It took ${formatDuration(Math.round(tookMs / 1_000) * 1_000)}.`,
    ...(left.length === 0 ? [] : [`NOT PLAYED, because time was over: ${left.join("; ")}`]),
    ...all.filter(({ outcome }) => outcome !== "same").flatMap(describe),
    "",
  ].join("\n");
}

function count(outcomes: readonly Outcome[], ...kinds: readonly Outcome["outcome"][]): number {
  return outcomes.filter(({ outcome }) => kinds.includes(outcome)).length;
}

function describe({ scene, held, other, at, statement, outcome, difference }: Outcome): string[] {
  return [
    "",
    `${scene}: ${outcome}; ${held} was held before its statement ${at}, while ${other} ran:`,
    `  ${statement.slice(0, MOST_TEXT)}`,
    ...difference
      .slice(0, MOST_LINES)
      .map((line) => `    ${line.replaceAll(/\s+/g, " ").slice(0, MOST_TEXT)}`),
  ];
}

const MOST_LINES = 16;
const MOST_TEXT = 500;

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
