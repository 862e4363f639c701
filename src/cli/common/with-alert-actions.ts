import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { type OpenAlertActions, openAlertActions, readEnvironment, timeHere } from "#admin";
import type { Actor } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { commandLog } from "./command-log.ts";

/** Opens the monitor's database, does the work, and closes it. The monitor may run at the same time. */
export async function withAlertActions<Outcome>(
  env: NodeJS.ProcessEnv,
  work: (command: OpenAlertActions) => Promise<Outcome>,
): Promise<Outcome> {
  const environment = readEnvironment(env);
  const log = commandLog(env);
  // A demo that was killed leaves its note behind; the time of a real monitor is the system's.
  const clock = existsSync(environment.configFile) ? systemClock : await timeHere(environment.home);
  const opened = await openAlertActions(environment, clock, log);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** The user of the shell; `typed` is the name given by a flag. */
export function shellActor(typed: string | undefined): Actor {
  return { via: "shell", login: shellName(), typed: typed ?? null };
}

function shellName(): string {
  try {
    return userInfo().username;
  } catch {
    return "the shell";
  }
}
