import { once } from "node:events";
import { startEarshot } from "../app.ts";
import { readEnvironment } from "../config/environment.ts";
import { loadConfig } from "../config.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { createLog } from "../log.ts";
import { openEngines } from "./engines.ts";
import type { Role } from "./roles.ts";

/**
 * One role as a process of its own, until SIGTERM or Ctrl-C. Configuration and addresses come from the environment, as
 * for `earshot start --roles`. Exits with 2 if something that a person wrote is wrong, with 1 if it fails.
 */
export async function runWorker(role: Role, host: NodeJS.Process, clock: Clock = systemClock): Promise<void> {
  const environment = readEnvironment(host.env);
  const log = createLog({ level: environment.logLevel ?? "info" });
  try {
    const config = await loadConfig(environment.configFile, host.env);
    const running = await openTogether(async (closing) => {
      const engines = await openEngines(environment, log);
      closing.add(engines.stop);
      const { databaseUrl, queue } = engines;
      const consoleUrl = () => config.web.publicUrl ?? null;
      const base = { config, databaseUrl, queue, clock, log, consoleUrl };
      const earshot = await startEarshot({ ...base, roles: [role] });
      closing.add(earshot.stop);
      return closing;
    });
    log.info({ role }, "the worker is running");
    await Promise.race([once(host, "SIGTERM"), once(host, "SIGINT")]);
    log.info({ role }, "the worker is stopping");
    await running.close();
    // An engine that was away leaves timers behind, which would keep the process alive for ever.
    setTimeout(() => host.exit(), 500).unref();
  } catch (error) {
    const details = error instanceof UserError ? error.details : [];
    log.fatal({ role, error: describeError(error), details }, "the worker ended");
    host.exitCode = error instanceof UserError ? 2 : 1;
  }
}
