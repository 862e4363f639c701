import { type Command, Option } from "commander";
import { loadConfig, readEnvironment, receiverNamed, sendTest, type TestOutcome } from "#admin";
import { cleanLine, openTemplates } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { closestWord } from "../lib/closest-word.ts";
import { UserError } from "../lib/errors.ts";
import { commandLog } from "./common/command-log.ts";
import { print, printJson } from "./common/print.ts";
import { ExitError } from "./common/run.ts";

interface SendTestOptions {
  readonly config?: string;
  readonly what: "alert" | "digest";
  readonly json: boolean;
}

export function defineSendTestCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument("<receiver>", "name of a receiver in the configuration, or of a rotation: who is on call now")
    .option("--config <file>", "configuration (default: earshot.yaml)")
    .addOption(new Option("--what <message>", "which message").choices(["alert", "digest"]).default("alert"))
    .option("--json", "print the outcome as one JSON object", false)
    .addHelpText(
      "after",
      `
Examples:
  earshot send-test comms
  earshot send-test on-call --what digest

Exit codes: 0 the vendor accepted the message, 1 it did not, 2 an error in your input.`,
    )
    .action(async (receiver: string, options: SendTestOptions) => {
      await printResult(receiver, options, env);
    });
}

async function printResult(name: string, options: SendTestOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const config = await loadConfig(options.config ?? readEnvironment(env).configFile, env);
  const receiverName = receiverNamed(config, name, systemClock.now());
  const names = [...config.receivers, ...config.rotations].map((one) => one.name);
  const receiver = config.receivers.find((one) => one.name === receiverName);
  if (receiver === undefined) {
    const closest = closestWord(name, names);
    throw new UserError(`there is no receiver "${name}"`, [
      closest === undefined ? `known are ${names.join(", ")}` : `did you mean "${closest}"?`,
    ]);
  }
  if (config.usesLocalInbox)
    throw new UserError(`${receiverName} is the Inbox of the console, which is open while Earshot runs`, [
      "name receivers in earshot.yaml; earshot send-test then sends to them",
    ]);
  const outcome = await sendTest(receiver, options.what, {
    renderer: await openTemplates(config.templates),
    clock: systemClock,
    log: commandLog(env),
  });
  if (options.json)
    printJson({ receiver: receiverName, ...(receiverName !== name && { rotation: name }), ...outcome });
  else {
    if (receiverName !== name) print(`${name} is a rotation: it is the turn of ${receiverName}`);
    for (const line of describe(receiverName, outcome)) print(line);
  }
  if (outcome.outcome === "Failed") throw new ExitError(`the test did not get through to ${receiverName}`, 1);
}

function describe(name: string, outcome: TestOutcome): readonly string[] {
  if (outcome.outcome === "Sent") {
    const answer = Object.entries(outcome.answer).map(
      ([key, value]) => `  ${key.padEnd(10)} ${cleanLine(value)}`,
    );
    return [`${name}: ${outcome.words}`, ...answer];
  }
  return [
    `${name}: ${cleanLine(outcome.error)}`,
    `  when       ${outcome.step === "check" ? "asking whether the receiver would work; nothing was sent" : "sending"}`,
    `  what to do ${outcome.advice ?? "nothing here helps but waiting, or looking at the other side"}`,
    `  an alert   ${outcome.retryable ? "would be tried again, for about two days" : "would be given up, and shown as such on the page"}`,
  ];
}
