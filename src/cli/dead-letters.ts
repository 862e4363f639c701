import type { Command } from "commander";
import { type DeadLetter, formatTime } from "#monitor";
import { UserError } from "../lib/errors.ts";
import { toIso } from "../lib/instant.ts";
import { timezoneInUse } from "./common/load-rules-in-use.ts";
import { notedInShell } from "./common/note-in-shell.ts";
import { print } from "./common/print.ts";
import { shellActor, withAlertActions } from "./common/with-alert-actions.ts";

/** `earshot dead-letters`: lists what always failed, and tries it again. */
export function defineDeadLettersCommand(command: Command, env: NodeJS.ProcessEnv): void {
  command.addHelpText(
    "after",
    `
Examples:
  earshot dead-letters list
  earshot dead-letters replay 0199b2c4
  earshot dead-letters replay --all`,
  );
  command
    .command("list")
    .description("Lists dead letters, newest first.")
    .option("--json", "JSON Lines", false)
    .action(async ({ json }: { json: boolean }) => {
      const list = await withAlertActions(env, ({ stores }) => stores.deadLetters.open(10_000));
      if (!json && list.length === 0) print("No dead letters.");
      const timezone = json ? "UTC" : await timezoneInUse(env);
      for (const one of list)
        print(json ? JSON.stringify({ ...one, at: toIso(one.at) }) : lineOf(one, timezone));
    });

  command
    .command("replay")
    .description("Tries these again: a job at once, a mention or page with the next poll of its query.")
    .argument("[ids...]", "ids, or their beginnings, as list shows them")
    .option("--all", "everything that can be tried again", false)
    .action(async (ids: string[], { all }: { all: boolean }) => {
      if (all === ids.length > 0) throw new UserError("name the ids to replay, or say --all");
      const wrong = ids.find((id) => !/^[0-9a-f-]{8,36}$/i.test(id));
      if (wrong !== undefined) throw new UserError(`"${wrong}" is no id; it takes 8 characters or more`);
      const which = all ? "all" : ids.map((id) => id.toLowerCase());
      const n = await withAlertActions(env, ({ stores, clock }) =>
        notedInShell(
          { stores, clock, actor: shellActor(undefined) },
          "dead-letter.replay",
          all ? "all" : ids.join(", "),
          async () => {
            const n = await stores.deadLetters.replay(which, clock.now());
            if (n === 0) throw new UserError("no such dead letter can be tried again");
            return n;
          },
          (n) => `${n} tried again`,
        ),
      );
      print(`${n} ${n === 1 ? "is" : "are"} tried again.`);
    });
}

function lineOf(one: DeadLetter, timezone: string): string {
  const subject =
    one.kind === "job" ? one.scope : `${one.queryName ?? one.queryId} ${one.resourceId ?? one.scope ?? ""}`;
  const again = one.replayWanted ? ", is tried again soon" : one.replayable ? "" : ", cannot be replayed";
  const tries = `${one.tries} ${one.tries === 1 ? "try" : "tries"}${again}`;
  const line = `${one.id}  ${formatTime(one.at, timezone)}  ${one.kind.padEnd(7)}  ${subject}: ${one.reason} (${tries})`;
  return line.replaceAll(/[\p{Cc}\s]/gu, " ");
}
