import type { Command } from "commander";
import { UserError } from "../../lib/errors.ts";

const APPLY = "write it into a file and apply that: earshot local-api apply --help";

/** Commands of earlier versions, and what does their work now. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  create: [APPLY],
  grant: ["the roles of a login are its field clients in the file of earshot local-api apply"],
  list: ["earshot local-api get prints everything; get --changes the changes"],
  delete: [
    "take it out of the file, and apply that with --prune: earshot local-api apply --help",
    "mentions: earshot local-api edit RESOURCE-ID… --delete",
  ],
  retain: ["keepMentionsFrom: 2026-01-01 in the file of earshot local-api apply drops the months before it"],
};

/** A script that still calls one of them learns what to write. */
export function addRemoved(group: Command): void {
  for (const [name, advice] of Object.entries(REMOVED))
    group
      .command(`${name} [words...]`, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .action(() => {
        throw new UserError(`There is no command local-api ${name} any more.`, advice);
      });
}
