import type { LedgerLine } from "./ledger.ts";
import { gapSentence } from "./note-gap.ts";
import type { ChaosReport } from "./run-chaos.ts";

/** The report of a run for people, in lines. */
export function formatReport(report: ChaosReport): string {
  const { seed, queue, mentions, kills, apiFaults, gaveUp, endedBadly, drainedAfterMs } = report;
  const hits = Object.values(kills).reduce((sum, n) => sum + n, 0);
  const drained =
    drainedAfterMs === null ? "NOT all done in time" : `all done ${seconds(drainedAfterMs)} after the last`;
  return [
    `${hits} kills in ${seconds(report.killedForMs)} (${listed(kills)}), ${drained}; seed ${seed}, queues on ${queue}`,
    `${mentions} mentions; faults of the API: ${listed(apiFaults)}`,
    `${report.acceptedWithoutAnswer} mails were accepted by a server that broke the connection before its answer: each comes once more, which cannot be avoided`,
    gapSentence(report.gap),
    `${gaveUp} workers gave up and were followed by others; ended badly: ${endedBadly.join(", ") || "none"}`,
    ...report.leftToDo.slice(0, MOST_LEFT).map((one) => `left to do: ${one}`),
    "",
    ...ledgerRows(report.ledger),
    ...(report.lastLines === "" ? [] : ["", "the last log lines of the workers:", report.lastLines]),
    "",
  ].join("\n");
}

/** The comparison as a table. */
export function ledgerRows(ledger: readonly LedgerLine[]): string[] {
  return [row("", "of", "wrong", "limit", ""), ...ledger.map(lineOf)];
}

function lineOf({ what, of, wrong, limit, broken, examples }: LedgerLine): string {
  const verdict = broken ? `BROKEN ${examples.join(", ")}` : limit === null ? "" : "ok";
  return row(what, of, wrong, limit ?? "-", verdict);
}

function row(what: string, ...[of, wrong, limit, verdict]: (string | number)[]): string {
  const number = (value: string | number | undefined) => String(value).padStart(8);
  return `${what.padEnd(38)}${number(of)}${number(wrong)}${number(limit)}  ${verdict}`.trimEnd();
}

const MOST_LEFT = 10;

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, n]) => `${n} ${what}`)
    .join(", ");
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
