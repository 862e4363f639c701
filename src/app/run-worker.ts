import { listenForHangUps, readEnvironment } from "#admin";
import type { Role } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { createLog } from "../lib/log.ts";
import { aborted, leave, stopSignal } from "../lib/stop-signal.ts";
import { assemble } from "./assemble.ts";
import { openMonitor } from "./open-monitor.ts";

/**
 * A process with one role or several, until SIGTERM or Ctrl-C. Configuration and addresses come from the environment, as
 * for `earshot start --roles`. Exits with 2 if something that a person wrote is wrong, with 1 if it fails.
 */
export async function runWorker(roles: readonly Role[], host: NodeJS.Process, clock = systemClock) {
  const signal = stopSignal();
  const hangUps = listenForHangUps(host);
  const environment = readEnvironment(host.env);
  const log = createLog({ level: environment.logLevel ?? "info" });
  try {
    const running = await openTogether(async (closing) => {
      const process = { environment, env: host.env, log, signal };
      const open = openMonitor(process, {
        ...{ file: environment.configFile, roles, isMain: false, hangUps, clock },
        ...{ port: null, listeningUrl: null, schemas: [] },
      });
      await assemble(process, { open, console: "None" }, closing);
      return closing;
    });
    log.info({ roles }, "the worker is running");
    await aborted(signal);
    log.info({ roles }, "the worker is stopping");
    await running.close();
  } catch (error) {
    if (!signal.aborted) {
      const details = error instanceof UserError ? error.details : [];
      log.fatal({ roles, error: describeError(error), details }, "the worker ended");
      host.exitCode = error instanceof UserError ? 2 : 1;
    }
  }
  if (signal.aborted) leave();
}
