import { resolve } from "node:path";
import type { Command } from "commander";
import { openSetAside } from "../app/open-set-aside.ts";
import { readSurroundings } from "../config.ts";
import { UserError } from "../lib/errors.ts";
import { toIso } from "../lib/instant.ts";
import { createLog } from "../log.ts";

/** `earshot set-aside`: what always failed and stands aside, and another try for it. */
export function addSetAsideCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = program
    .command("set-aside")
    .description("Mentions, pages and jobs that always failed: what stands aside, and another try for it.");
  const open = () => {
    const { databaseUrl, home, logLevel } = readSurroundings(env);
    const log = createLog({ level: logLevel === "info" ? "warn" : logLevel });
    return openSetAside({ databaseUrl, dataDir: resolve(home, "postgres"), log });
  };

  command
    .command("list")
    .description("what stands aside, newest first")
    .option("--json", "JSON Lines", false)
    .action(async ({ json }: { json: boolean }) => {
      const facts = await open();
      try {
        const list = await facts.standing(10_000);
        if (!json && list.length === 0) console.log("Nothing stands aside.");
        for (const one of list) {
          if (json) {
            console.log(JSON.stringify({ ...one, at: toIso(one.at) }));
            continue;
          }
          const subject =
            one.kind === "job"
              ? one.scope
              : `${one.queryName ?? one.queryId} ${one.resourceId ?? one.scope ?? ""}`;
          const again = one.replayWanted
            ? ", is tried again soon"
            : one.replayable
              ? ""
              : ", cannot be replayed";
          const line = `${one.id}  ${toIso(one.at)}  ${one.kind.padEnd(7)}  ${subject}: ${one.reason} (${one.tries} ${one.tries === 1 ? "try" : "tries"}${again})`;
          console.log(line.replaceAll(/[\p{Cc}\s]/gu, " "));
        }
      } finally {
        await facts.close();
      }
    });

  command
    .command("replay")
    .description("tries these again: a job at once, a mention or page with the next walk of its query")
    .argument("[ids...]", "ids, or their beginnings, as list shows them")
    .option("--all", "everything that can be tried again", false)
    .action(async (ids: string[], { all }: { all: boolean }) => {
      if (all === ids.length > 0) throw new UserError("name the ids to replay, or say --all");
      const wrong = ids.find((id) => !/^[0-9a-f-]{8,36}$/i.test(id));
      if (wrong !== undefined) throw new UserError(`"${wrong}" is no id; it takes 8 characters or more`);
      const facts = await open();
      try {
        const n = await facts.replay(all ? "all" : ids.map((id) => id.toLowerCase()));
        if (n === 0) throw new UserError("nothing of that stands aside and can be tried again");
        console.log(`${n} ${n === 1 ? "is" : "are"} tried again.`);
      } finally {
        await facts.close();
      }
    });
}
