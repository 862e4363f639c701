import { type Engines, openEngines } from "../app/engines.ts";
import { openPage } from "../app/open-console.ts";
import { countHangUps, type Running, runReloading } from "../app/reload.ts";
import { ROLES } from "../app/roles.ts";
import { startEarshot } from "../app.ts";
import type { Environment } from "../config/environment.ts";
import { unknownNamesIn } from "../config/unknown-names-in.ts";
import { type Config, loadConfig } from "../config.ts";
import { refuseDemoData } from "../demo/demo-database.ts";
import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeFault } from "../lib/errors.ts";
import type { Logger } from "../log.ts";
import type { StartOptions } from "./start-options.ts";
import { aborted, leave, stopSignal } from "./stop-signal.ts";

/**
 * Monitors what the configuration says, in the given roles, until it is stopped. On SIGHUP or `earshot reload` it loads
 * the configuration, rules and templates again; if they have a fault, it logs it and keeps the running ones.
 */
export async function runMonitor(
  file: string,
  options: StartOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const signal = stopSignal((name) => log.info({ signal: name }, "stopping"));
  const hangUps = countHangUps(process);
  const config = await loadConfig(file, env);
  const running = await openTogether(async (closing) => {
    const engines = await openEngines(environment, log);
    closing.add(engines.stop);
    await refuseDemoData(engines.databaseUrl);
    const start = (wanted: Config) => startMonitor({ file, config: wanted, engines, options, log, signal });
    await runReloading({ file, env, config, start, hangUps, log, signal }, closing);
    return closing;
  });
  await aborted(signal);
  await running.close();
  leave();
}

function startMonitor(parts: {
  readonly file: string;
  readonly config: Config;
  readonly engines: Engines;
  readonly options: StartOptions;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<Running> {
  const { file, config, engines, options, log, signal } = parts;
  const wanted = options.roles ?? [...ROLES, "web"];
  return openTogether(async (closing) => {
    let url = config.web.publicUrl ?? null;
    const earshot = await startEarshot({
      config,
      databaseUrl: engines.databaseUrl,
      queue: engines.queue,
      clock: systemClock,
      log,
      roles: ROLES.filter((role) => wanted.includes(role)),
      consoleUrl: () => url,
      signal,
    });
    closing.add(earshot.stop);
    // Only a warning: a monitor that refuses to start would monitor nothing.
    for (const fault of await unknownNamesIn(file, config, earshot.rules))
      log.warn({ fault: describeFault(fault) }, "a part of the configuration never does anything");
    log.info(
      { roles: wanted, rules: earshot.rules.length, engines: engines.description },
      "Earshot is running",
    );
    if (wanted.includes("web") && options.page) {
      const page = await openPage({
        databaseUrl: engines.databaseUrl,
        clock: systemClock,
        log,
        settings: { ...config.web, timezone: config.timezone, port: options.port ?? config.web.port },
        tryNextPort: false,
        hasLocalInbox: false,
        queues: earshot.queueCounts,
        rules: earshot.rules,
        previews: earshot.previews,
        why: earshot.why,
        receivers: config.receivers,
      });
      closing.add(page.close);
      url ??= page.url;
      log.info({ url: page.url }, "the page is open");
    }
    return { earshot, close: closing.close };
  });
}
