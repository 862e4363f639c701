import { userInfo } from "node:os";
import { type OpenDesk, openDesk } from "../../app/open-desk.ts";
import { readSurroundings } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { createLog } from "../../log.ts";
import { readLocalAddress } from "../local-address.ts";

/** Opens the database that the monitor uses, beside it where it runs; does the work and closes it again. */
export async function withDesk<Outcome>(
  env: NodeJS.ProcessEnv,
  work: (command: OpenDesk) => Promise<Outcome>,
): Promise<Outcome> {
  const surroundings = readSurroundings(env);
  const log = createLog({ level: env["LOG_LEVEL"] ?? "warn" });
  // Where a demo runs here, its time is the time of what is done.
  const clock = (await readLocalAddress(surroundings.home, systemClock))?.clock ?? systemClock;
  const opened = await openDesk(surroundings, clock, log);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Who sits at the shell, unless a flag says otherwise. */
export function shellName(): string {
  try {
    return userInfo().username;
  } catch {
    return "the shell";
  }
}
