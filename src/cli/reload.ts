import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { loadFiles, type OpenAlertActions, readEnvironment, requestReload } from "#admin";
import { answerOf, type ReloadAnswer, type ReloadRequest, type RunningProcess, whyOther } from "#monitor";
import { monotonicMs } from "../lib/clock.ts";
import { parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { counted } from "../lib/numbers.ts";
import { notedInShell } from "./common/note-in-shell.ts";
import { print, printJson } from "./common/print.ts";
import { ExitError } from "./common/run.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";

interface ReloadOptions {
  readonly wait: boolean;
  readonly timeout: string;
  readonly json: boolean;
}

/** `earshot reload`: makes all running processes apply the configuration, rules and templates. */
export function defineReloadCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .option("--no-wait", "only ask the processes, and do not wait until they have answered")
    .option("--timeout <duration>", "how long to wait for all processes", "30s")
    .option("--json", "the version and every process as one JSON object", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot reload
  earshot reload --json | jq '.processes[] | select(.answer != "took-up")'

The files are checked here first; with a fault in any of them, nothing is asked. Then every process of Earshot on this
database, on any machine, reads its own files. It takes them up whole, if they are the same as here and have no fault;
else it goes on as before and says why. Files that are copied to a machine later are applied then. Roles, --port and
the databases stay as they were at the start. SIGHUP to one process has the same effect.

Exit codes: 0 every process runs the new version (or none is running), 1 one of them does not, 2 a fault in the files.`,
    )
    .action((options: ReloadOptions) => reload(options, env));
}

async function reload(options: ReloadOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const timeoutMs = parseDuration(options.timeout);
  if (timeoutMs === undefined || timeoutMs === null)
    throw new UserError(`--timeout is a duration such as 30s or 2m, got "${options.timeout}"`);
  const files = await loadFiles(readEnvironment(env).configFile, env, { triesTemplates: true });
  const say = options.json ? () => {} : print;
  await withAlertActions(env, async ({ stores, clock }) => {
    const request = await notedInShell(
      { stores, clock, actor: shellActor(undefined) },
      "reload",
      "",
      () => requestReload(stores, files.digest),
      ({ version }) => `version ${version}`,
    );
    const { version } = request;
    say(`Checked, no fault: ${counted(files.rules.length, "rule")}, version ${version}.`);
    if (!options.wait) {
      if (options.json) printJson({ version, processes: [] });
      else print("Running processes take it up within some seconds; earshot coverage shows them.");
      return;
    }
    const answers = await waitForAnswers(stores.processes, request, timeoutMs, (one, answer) =>
      say(describe(one, answer, options.timeout)),
    );
    if (options.json)
      printJson({ version, processes: answers.map(({ process, answer }) => ({ ...process, answer })) });
    if (answers.length === 0)
      return say("No process of Earshot runs on this database; the next start uses it.");
    const others = answers.filter(({ answer }) => answer !== "took-up").length;
    if (others > 0)
      throw new ExitError(
        `${others} of ${counted(answers.length, "process", "processes")} did not apply version ${version}`,
        1,
      );
  });
}

interface ProcessAnswer {
  readonly process: RunningProcess;
  readonly answer: ReloadAnswer;
}

const LOOK_EVERY_MS = 200;

/**
 * Waits until every process that lives has answered. A process that ends meanwhile is forgotten. Somebody else may ask
 * for the same version meanwhile: then that request is answered.
 */
async function waitForAnswers(
  processes: OpenAlertActions["stores"]["processes"],
  ours: ReloadRequest,
  timeoutMs: number,
  onAnswer: (process: RunningProcess, answer: ReloadAnswer) => void,
): Promise<readonly ProcessAnswer[]> {
  const reported = new Set<string>();
  for (const startedAt = monotonicMs(); ; await delay(LOOK_EVERY_MS)) {
    const request = (await processes.requested()) ?? ours;
    if (request.version !== ours.version)
      throw new ExitError(
        `another reload asked for version ${request.version} meanwhile; earshot coverage shows what runs`,
        1,
      );
    const answers = (await processes.running()).map((process) => ({
      process,
      answer: answerOf(process, request),
    }));
    const isLate = monotonicMs() - startedAt >= timeoutMs;
    for (const { process, answer } of answers) {
      if (reported.has(process.id) || (answer === "waits" && !isLate)) continue;
      reported.add(process.id);
      onAnswer(process, answer);
    }
    if (isLate || answers.every(({ answer }) => answer !== "waits")) return answers;
  }
}

function describe(process: RunningProcess, answer: ReloadAnswer, timeout: string): string {
  const { host, pid, roles, version, refused } = process;
  const who = `  ${host}, process ${pid} (${roles.join(", ")}):`;
  if (answer === "took-up") return `${who} runs the new version`;
  if (answer === "waits")
    return `${who} did not answer within ${timeout}, and was last at version ${version}`;
  const faults = refused?.faults ?? [];
  if (faults.length <= 1) return `${who} goes on with version ${version}: ${faults[0] ?? whyOther(process)}`;
  return [
    `${who} goes on with version ${version}, ${counted(faults.length, "fault")}:`,
    ...faults.map((one) => `    ${one}`),
  ].join("\n");
}
