import { createReadStream } from "node:fs";
import type { Command } from "commander";
import { type BounceResult, cleanLine, MOST_OF_BOUNCE, takeBounce } from "#monitor";
import { describeError, UserError, whyUnread } from "../lib/errors.ts";
import { print, printJson } from "./common/print.ts";
import { ExitError } from "./common/run.ts";
import { withAlertActions } from "./common/with-alert-actions.ts";

/** EX_TEMPFAIL of sysexits: the mail server keeps the message and tries again later. */
const LATER = 75;

export function defineBounceCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument("[file]", "the message; without it, or as -, it is read from the standard input", "-")
    .option("--to <address>", "the address that it arrived at, where its headers may not say so")
    .option("--json", "print the outcome as one JSON object", false)
    .addHelpText("after", HELP)
    .action(async (file: string, options: { readonly to?: string; readonly json: boolean }) => {
      const message = await readMessage(file);
      const result = await later(() =>
        withAlertActions(env, (actions) => takeBounce(actions, message, options.to ?? null)),
      );
      if (options.json) printJson(result);
      else print(describe(result));
    });
}

const HELP = `
Examples:
  earshot bounce < message
  earshot bounce message.eml --json

How mails get here
  Postfix    in /etc/aliases    bounces: "|earshot bounce"
  a mailbox  with fetchmail     poll mail.brand.example … mda "earshot bounce --to %T"
  files      a Maildir          for f in new/*; do earshot bounce "$f" && rm "$f"; done
With bouncesTo: bounces+{id}@brand.example every mail has a return path of its own, and even a report that quotes
nothing of the mail is recognised; the mail server has to deliver bounces+anything@ to bounces@.

Exit codes: 0 noted, or nothing for us; 2 the file cannot be read; 75 try again later (the database cannot be reached).`;

async function readMessage(file: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // To its end: a mail server takes a pipe that is closed earlier for a failure.
    for await (const part of file === "-" ? process.stdin : createReadStream(file)) {
      if (bytes < MOST_OF_BOUNCE) parts.push(Buffer.from(part));
      bytes += part.length;
    }
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${whyUnread(error)}`);
  }
  return Buffer.concat(parts);
}

/** On any other exit code the mail server gives up, and the bounce would be lost. */
async function later<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ExitError(`the bounce could not be noted, try again later: ${describeError(error)}`, LATER);
  }
}

function describe(result: BounceResult): string {
  switch (result.outcome) {
    case "Noted":
      return `${result.receiver}: the mail ${WORDS[result.what]}: ${cleanLine(result.detail)}`;
    case "NotedBefore":
      return `${result.receiver}: noted before`;
    case "NotOurs":
      return "a report about a mail that is not ours, or is no longer stored";
    case "NoBounce":
      return `no bounce: ${cleanLine(result.because)}`;
  }
}

const WORDS = { bounced: "came back", expired: "came back after many tries", delayed: "is delayed" } as const;
