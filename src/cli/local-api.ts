import type { Command } from "commander";
import { addLocalApply } from "./local-api/apply.ts";
import { addLocalEdit } from "./local-api/edit.ts";
import { addLocalExport } from "./local-api/export.ts";
import { addLocalFault } from "./local-api/fault.ts";
import { addLocalGet } from "./local-api/get.ts";
import { addLocalImport } from "./local-api/import.ts";
import { addLocalRevoke } from "./local-api/revoke-tokens.ts";
import { addLocalSimulate } from "./local-api/simulate.ts";
import { addLocalStart } from "./local-api/start.ts";

/** `earshot local-api …`: runs the Listening API on this machine, and does what its own calls cannot do. */
export function defineLocalApiCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const group = command.addHelpText("after", HELP);
  addLocalStart(group, env);
  addLocalApply(group, env);
  addLocalGet(group, env);
  addLocalImport(group, env);
  addLocalExport(group, env);
  addLocalEdit(group, env);
  addLocalSimulate(group, env);
  addLocalFault(group, env);
  addLocalRevoke(group, env);
}

const HELP = `
From nothing to your own mentions:
  earshot local-api apply --help                 shows a file; write account.yaml like it
  earshot local-api apply account.yaml           makes it; prints the passwords of new logins, once
  earshot local-api import tweets.csv --project Brands --query Acme --map text=tweet --map date=created_at
  earshot local-api start                        Ctrl-C stops it

While it runs, from another shell:
  earshot local-api get                          what is there, as a file that apply reads
  earshot local-api edit 0f3a… --sentiment negative --add-tag answered
  earshot local-api fault set 429 --times 3 --path data/mentions
  earshot local-api fault clear

All of it works in DATABASE_URL, or else in the embedded PostgreSQL of EARSHOT_HOME (default .earshot): in the server
that a running Earshot has there, or in one that the command starts for itself. --json makes every command answer one
JSON document on standard output; progress and what was left out go to standard error.

Exit codes: 0 done (rows of a file that are left out are reported, and are no failure), 1 failed, 2 an error in your input,
130 interrupted.`;
