import { setTimeout as delay } from "node:timers/promises";
import { type Engines, openEngines } from "../app/engines.ts";
import { openPage } from "../app/open-console.ts";
import { RELOAD_SETTING } from "../app/reload.ts";
import { ROLES } from "../app/roles.ts";
import { validRules, validTemplates } from "../app/validate-files.ts";
import { type Earshot, startEarshot } from "../app.ts";
import type { Environment } from "../config/environment.ts";
import { unknownNamesIn } from "../config/unknown-names-in.ts";
import { type Config, loadConfig } from "../config.ts";
import { refuseDemoData } from "../demo/demo-database.ts";
import { systemClock } from "../lib/clock.ts";
import { openTogether } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { describeFault } from "../lib/fault.ts";
import type { Logger } from "../log.ts";
import type { StartOptions } from "./start-options.ts";
import { aborted, leave, stopSignal } from "./stop-signal.ts";

interface Monitor {
  readonly config: Config;
  readonly earshot: Earshot;
  close(): Promise<void>;
}

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
  // From the first moment on: without a listener the signal ends the process.
  const hangUps = countHangUps();
  const config = await loadConfig(file, env);
  const start = (engines: Engines, wanted: Config) =>
    startMonitor({ file, config: wanted, engines, options, log, signal });
  const running = await openTogether(async (closing) => {
    const engines = await openEngines(environment, log);
    closing.add(engines.stop);
    await refuseDemoData(engines.databaseUrl);
    let monitor = await start(engines, config);
    closing.add(() => monitor.close());
    const reload = async (): Promise<void> => {
      const next = await checked(file, env, log);
      if (next === null || signal.aborted) return;
      const before = monitor.config;
      await monitor.close();
      try {
        monitor = await start(engines, next);
        log.info("the configuration was reloaded");
      } catch (error) {
        if (signal.aborted) return;
        log.error(
          { error: describeError(error) },
          "the new configuration does not start; going on with the one before",
        );
        monitor = await start(engines, before);
      }
    };
    closing.add(keepReloading({ earshot: () => monitor.earshot, reload, hangUps, log, signal }));
    return { close: closing.close };
  });
  await aborted(signal);
  await running.close();
  leave();
}

/** Loads and checks the configuration, rules and templates. Logs every fault; returns null if there is one. */
async function checked(file: string, env: NodeJS.ProcessEnv, log: Logger): Promise<Config | null> {
  try {
    const config = await loadConfig(file, env);
    await validRules(config.rules);
    await validTemplates(config.templates);
    return config;
  } catch (error) {
    const faults = error instanceof UserError ? error.details : [];
    log.error({ error: describeError(error), faults }, "not reloaded: the running configuration goes on");
    return null;
  }
}

const LOOK_EVERY_MS = 2_000;

/** Counts how often SIGHUP came. */
function countHangUps(): () => number {
  let count = 0;
  process.on("SIGHUP", () => count++);
  return () => count;
}

/** Reloads on SIGHUP and on a request in the tables. Returns a function that ends this. */
function keepReloading(parts: {
  earshot(): Earshot;
  reload(): Promise<void>;
  hangUps(): number;
  log: Logger;
  signal: AbortSignal;
}): () => Promise<void> {
  const { earshot, reload, hangUps, log, signal } = parts;
  let heard = 0;
  const looking = (async () => {
    let seen = await earshot()
      .stores.settings.get(RELOAD_SETTING)
      .catch(() => null);
    while (!signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      const asked = await earshot()
        .stores.settings.get(RELOAD_SETTING)
        .catch(() => seen);
      if (signal.aborted || (hangUps() === heard && asked === seen)) continue;
      heard = hangUps();
      seen = asked;
      await reload().catch((error: unknown) => log.fatal({ error: describeError(error) }, "reload failed"));
    }
  })();
  return () => looking;
}

function startMonitor(parts: {
  readonly file: string;
  readonly config: Config;
  readonly engines: Engines;
  readonly options: StartOptions;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<Monitor> {
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
        receivers: config.receivers,
      });
      closing.add(page.close);
      url ??= page.url;
      log.info({ url: page.url }, "the page is open");
    }
    return { config, earshot, close: closing.close };
  });
}
