import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createBudgetStore, createCallGate, type Gate, openDatabase, type Priority } from "#monitor";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { Environment } from "../config/environment.ts";
import { databaseForCommands } from "./demo-database.ts";
import { openPostgres } from "./open-postgres.ts";

/** The account's one budget, for a command that calls the source while the monitor runs. */
export interface ShellBudget {
  readonly gate: Gate;
  close(): Promise<void>;
}

/**
 * The tables of an Earshot with the budget of this account, if they can be reached: in `DATABASE_URL`, or in the
 * embedded PostgreSQL of the data folder. Null if there are none: then only the headers and refusals of the source
 * limit the calls. A database that cannot be reached blocks no command.
 */
export async function openShellBudget(
  environment: Pick<Environment, "databaseUrl" | "home" | "configFile">,
  options: {
    readonly account: string;
    readonly timeoutMs: number;
    readonly log: Logger;
    /** Default: the shell's, for a person who waits. */
    readonly priority?: Priority;
    /** How long a call may wait for a slot. */
    readonly patienceMs?: number;
  },
): Promise<ShellBudget | null> {
  const { databaseUrl, home } = environment;
  const { account, timeoutMs, log, priority = "shell", patienceMs = PATIENCE_MS } = options;
  if (databaseUrl === null && !existsSync(resolve(home, "postgres"))) return null;
  try {
    const opened = await openTogether(async (closing) => {
      const server = await openPostgres(environment, log, { share: true });
      closing.add(server.stop);
      const url = await databaseForCommands(server.url, environment.configFile);
      const onError = (error: Error) =>
        log.warn({ error: describeError(error) }, "a connection to the database broke");
      const database = openDatabase({ url, connections: 2, onError });
      closing.add(database.close);
      const budget = createBudgetStore(database.db, account);
      const isKept = await budget.isKept();
      const gate = createCallGate({ budget, priority, timeoutMs, patienceMs, log });
      return { gate, isKept, close: closing.close };
    });
    if (opened.isKept) return opened;
    await opened.close();
    return null;
  } catch (error) {
    log.debug({ error: describeError(error) }, "no stored budget was found");
    return null;
  }
}

/** A person waits: report long delays, with the time. */
const PATIENCE_MS = 1_000;
