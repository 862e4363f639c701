import { resolve } from "node:path";
import type { Environment } from "#admin";
import { assemble, openReplay } from "#app";
import type { ReplayProgress, ReplayReport } from "#lab";
import { monotonicMs } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { formatDuration } from "../lib/duration.ts";
import { shippedFolder } from "../lib/folders.ts";
import { toIso, utcMinute } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { counted } from "../lib/numbers.ts";
import { aborted, stopSignal } from "../lib/stop-signal.ts";
import { print, printError, printJson } from "./common/print.ts";
import type { StartOptions } from "./start-options.ts";

/** Replays a file of past mentions, and reports what would have been sent. */
export async function runReplay(
  file: string,
  options: StartOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const signal = stopSignal(() => printError("\nStopping; the same command goes on from here."));
  await openTogether(async (closing) => {
    const host = { environment, env, log, signal };
    const open = openReplay(host, {
      ...{ file: resolve(file), speed: options.speed, port: options.port ?? null },
      rules: options.rules ?? shippedFolder("rules"),
      templates: shippedFolder("templates"),
      onProgress: createProgress(process.stderr),
    });
    const console = options.exitWhenDone || !options.page ? "None" : "Here";
    const { pipeline, url } = await assemble(host, { open, console }, closing);
    const { replay } = pipeline;
    if (url !== null) printError(`Console: ${url}`);
    for (const { line, reason } of replay.skipped) printError(`${file}:${line} is left out: ${reason}`);
    const startedAt = monotonicMs();
    const report = await replay.run();
    const took = formatDuration(monotonicMs() - startedAt);
    printError(`Replayed ${toIso(replay.from)} to ${toIso(replay.to)} in ${took}.`);
    printResult(report, options.json);
    if (url !== null) {
      printError("Ctrl-C ends it.");
      await aborted(signal);
    }
    await closing.close();
  });
}

function printResult(report: ReplayReport, asJson: boolean): void {
  if (asJson) {
    printJson(report);
    return;
  }
  for (const { query, served, stored } of report.mentions)
    print(`${query}: ${stored} of ${served} mentions stored`);
  for (const alert of report.alerts) {
    print(`${alert.openedAt}  ${alert.severity.padEnd(8)}  ${alert.query}  ${alert.rule}: ${alert.because}`);
  }
  for (const { openedAt, endedAt, severity, query, alerts } of report.incidents)
    print(
      `${openedAt}  ${severity.padEnd(8)}  ${query}  incident of ${counted(alerts, "alert")}, ${endedAt === null ? "not over" : `calm since ${endedAt}`}`,
    );
  for (const { receiver, sent, failed, pending } of report.deliveries) {
    print(`${receiver}: ${sent} sent, ${failed} failed, ${pending} pending`);
  }
  print(`${counted(report.apiCalls, "call")} of the API`);
}

/** Shows progress on one line of a terminal; nothing in a pipe. */
function createProgress(stream: NodeJS.WriteStream): (progress: ReplayProgress) => void {
  if (!stream.isTTY) return () => {};
  return (progress) => {
    const text =
      progress.phase === "import"
        ? `importing: ${progress.lines.toLocaleString("en")} lines`
        : `${utcMinute(progress.at)}  ${Math.floor(progress.share * 100)} %`;
    stream.write(`\r\u001b[K${text}${progress.phase === "replay" && progress.share >= 1 ? "\n" : ""}`);
  };
}
