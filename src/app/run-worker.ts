import {
  type Config,
  followReloads,
  joinProcesses,
  listenForHangUps,
  loadFiles,
  type Reloadable,
} from "#admin";
import { withLocalInbox } from "#console";
import { type Role, readEnvironment, startEarshot } from "#monitor";
import { type Clock, systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { createLog } from "../lib/log.ts";
import { aborted, leave, stopSignal } from "../lib/stop-signal.ts";
import { openEngines } from "./engines.ts";
import { withListening } from "./open-listening.ts";

/**
 * One role as a process of its own, until SIGTERM or Ctrl-C; on SIGHUP and `earshot reload` it applies the configuration as
 * it is then. Configuration and addresses come from the environment, as for `earshot start --roles`. Exits with 2 if
 * something that a person wrote is wrong, with 1 if it fails.
 */
export async function runWorker(role: Role, host: NodeJS.Process, clock: Clock = systemClock): Promise<void> {
  const signal = stopSignal();
  const hangUps = listenForHangUps(host);
  const { configFile: file, ...environment } = readEnvironment(host.env);
  const log = createLog({ level: environment.logLevel ?? "info" });
  try {
    const files = await loadFiles(file, host.env, { triesTemplates: role === "deliver" });
    const running = await openTogether(async (closing) => {
      const engines = await openEngines({ ...environment, configFile: file }, log);
      closing.add(engines.stop);
      signal.throwIfAborted();
      const { databaseUrl, queue } = engines;
      const feeds = { databaseUrl, fetches: role === "poll", clock, log };
      const listening = await withListening(files.config, feeds, closing);
      const inbox = await withLocalInbox(
        files.config,
        { databaseUrl, clock, log, consoleUrl: () => null },
        closing,
      );
      const configOf = (config: Config): Config => inbox.configOf(listening.configOf(config));
      const config = configOf(files.config);
      const joined = joinProcesses([role], files, log);
      const earshot = await startEarshot({
        config,
        files: { ...files, config },
        ...listening.forMonitor,
        databaseUrl,
        queue,
        clock,
        log,
        signal,
        roles: [role],
        beforeWork: joined.join,
      });
      closing.add(earshot.stop);
      const running: Reloadable = {
        stores: earshot.stores,
        prepare: (next) => earshot.prepare({ ...next, config: configOf(next.config) }),
      };
      const parts = { file, env: host.env, joined, files, running, hangUps, log };
      await followReloads(parts, closing);
      return closing;
    });
    log.info({ role }, "the worker is running");
    await aborted(signal);
    log.info({ role }, "the worker is stopping");
    await running.close();
  } catch (error) {
    if (!signal.aborted) {
      const details = error instanceof UserError ? error.details : [];
      log.fatal({ role, error: describeError(error), details }, "the worker ended");
      host.exitCode = error instanceof UserError ? 2 : 1;
    }
  }
  if (signal.aborted) leave();
}
