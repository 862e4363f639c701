import type { Command } from "commander";
import { cleanLine } from "#monitor";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { counted } from "../lib/numbers.ts";
import { notedInShell } from "./common/note-in-shell.ts";
import { print } from "./common/print.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";

/** `earshot redeliver`: sends messages again that a receiver refused for good, once the cause is fixed. */
export function defineRedeliverCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command
    .argument("[receiver]", "whose messages to try again; without: a list")
    .option("--since <duration>", "how old a message may be", "7d")
    .addHelpText(
      "after",
      `
Examples:
  earshot redeliver                      which messages were given up, and why
  earshot send-test comms                does the receiver accept messages again?
  earshot redeliver comms --since 2d     send them again`,
    )
    .action(async (receiver: string | undefined, { since }: { since: string }) => {
      const ageMs = parseDuration(since);
      if (ageMs === undefined) throw new UserError(`--since is a duration such as 6h or 2d, not "${since}"`);
      await withAlertActions(env, async ({ stores, clock }) => {
        const from = clock.now() - ageMs;
        const refused = await stores.notifications.givenUp(from);
        if (receiver === undefined) {
          if (refused.length === 0) print(`No message was given up in ${formatDuration(ageMs)}.`);
          for (const one of refused)
            print(`${cleanLine(one.receiver)}: ${counted(one.n, "message")}, ${cleanLine(one.error)}`);
          return;
        }
        if (!refused.some((one) => one.receiver === receiver)) {
          const names = refused.map((one) => one.receiver).join(", ");
          throw new UserError(`no message to "${receiver}" was given up in ${formatDuration(ageMs)}`, [
            names === "" ? "no message to any receiver was" : `messages were given up to ${names}`,
          ]);
        }
        const n = await notedInShell(
          { stores, clock, actor: shellActor(undefined) },
          "notification.redeliver",
          receiver,
          () => stores.notifications.redeliver(receiver, from),
          (n) => `${counted(n, "message")} of ${formatDuration(ageMs)}`,
        );
        print(`${counted(n, "message")} to ${cleanLine(receiver)} ${n === 1 ? "is" : "are"} tried again.`);
      });
    });
}
