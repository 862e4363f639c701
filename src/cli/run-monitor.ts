import { unknownNamesIn } from "../app/actions/unknown-names-in.ts";
import { openEngines } from "../app/engines.ts";
import { refuseDemoData } from "../app/local/demo-database.ts";
import { openPage } from "../app/open-console.ts";
import { ROLES } from "../app/roles.ts";
import { startEarshot } from "../app.ts";
import { type Environment, loadConfig } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeFault } from "../lib/fault.ts";
import type { Logger } from "../log.ts";
import type { StartOptions } from "./start-options.ts";
import { aborted, leave, stopSignal } from "./stop-signal.ts";

/** Monitors what the configuration says, in the roles that were asked for, until it is told to stop. */
export async function runMonitor(
  file: string,
  options: StartOptions,
  surroundings: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const signal = stopSignal((name) => log.info({ signal: name }, "stopping"));
  const config = await loadConfig(file, env);
  const wanted = options.roles ?? [...ROLES, "web"];
  const running = await openTogether(async (closing) => {
    const engines = await openEngines(surroundings, log);
    closing.add(engines.stop);
    await refuseDemoData(engines.databaseUrl);
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
    // No reason not to watch at all, which is what a monitor that refuses to start would do.
    for (const fault of await unknownNamesIn(file, config, earshot.rules))
      log.warn({ fault: describeFault(fault) }, "the configuration names what no alert has");
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
        queues: earshot.queueTallies,
        rules: earshot.rules,
        previews: earshot.previews,
        receivers: config.receivers,
      });
      closing.add(page.close);
      url ??= page.url;
      log.info({ url: page.url }, "the page is open");
    }
    return { close: closing.close };
  });
  await aborted(signal);
  await running.close();
  leave();
}
