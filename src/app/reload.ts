import { setTimeout as delay } from "node:timers/promises";
import type { Earshot } from "../app.ts";
import { type Config, loadConfig } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";
import type { Stores } from "../store/stores.ts";
import { validRules, validTemplates } from "./validate-files.ts";

/** When a person last asked all processes to reload their configuration. */
const RELOAD_SETTING = "reload";

const LOOK_EVERY_MS = 2_000;

/** Processes check this every two seconds, on any machine. */
export async function askForReload(stores: Pick<Stores, "settings">): Promise<void> {
  await stores.settings.put(RELOAD_SETTING, systemClock.now());
}

/** Counts how often SIGHUP came. Call it first of all: without a listener the signal ends the process. */
export function countHangUps(host: NodeJS.Process): () => number {
  let count = 0;
  host.on("SIGHUP", () => count++);
  return () => count;
}

/** What runs with one configuration. */
export interface Running {
  readonly earshot: Pick<Earshot, "stores">;
  close(): Promise<void>;
}

export interface ReloadingParts {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** The configuration to begin with. */
  readonly config: Config;
  start(config: Config): Promise<Running>;
  hangUps(): number;
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Runs with the configuration, and starts again with the present one on SIGHUP or `earshot reload`. A configuration,
 * rule or template with a fault changes nothing. Rejects if the first start fails; `closing` ends what runs.
 */
export async function runReloading(parts: ReloadingParts, closing: Closing): Promise<void> {
  const { log, signal } = parts;
  let { config } = parts;
  let running: Running | null = await parts.start(config);
  closing.add(async () => running?.close());
  const asked = async (before: unknown): Promise<unknown> =>
    (await running?.earshot.stores.settings.get(RELOAD_SETTING).catch(() => before)) ?? before;
  const reload = async (): Promise<void> => {
    const next = await checked(parts);
    if (next === null || signal.aborted) return;
    await running?.close();
    running = null;
    try {
      running = await parts.start(next);
      config = next;
      log.info("the configuration was reloaded");
    } catch (error) {
      const details = { error: describeError(error) };
      if (!signal.aborted)
        log.error(details, "the new configuration does not start; going on with the one before");
    }
  };
  const watching = (async () => {
    let heard = 0;
    let seen = await asked(null);
    while (!signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      const request = await asked(seen);
      if (parts.hangUps() !== heard || request !== seen) {
        heard = parts.hangUps();
        seen = request;
        await reload().catch((error: unknown) => log.error({ error: describeError(error) }, "reload failed"));
      }
      // A start may fail because a service is away for a moment.
      if (running === null && !signal.aborted)
        running = await parts.start(config).catch((error: unknown) => {
          log.error({ error: describeError(error) }, "it does not start; trying again");
          return null;
        });
    }
  })();
  closing.add(() => watching);
}

/** Loads and checks the configuration, rules and templates. Logs every fault; returns null if there is one. */
async function checked({ file, env, log }: ReloadingParts): Promise<Config | null> {
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
