import { type Engines, type Environment, openEngines } from "#admin";
import { type ConsoleProcess, startConsoleProcess } from "#console";
import type { Closing } from "../lib/closing.ts";
import { collectGarbageSooner } from "../lib/heap.ts";
import type { Logger } from "../lib/log.ts";
import type { ConsoleOrder } from "./console-order.ts";

/** What every process of Earshot has. */
export interface Process {
  readonly environment: Environment;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/** What runs in a process: the monitor or some of its roles, a demo, a replay. */
export interface Pipeline {
  /** Opens the console in this process; resolves with its address. */
  openConsole(closing: Closing): Promise<string>;
  /** Applies changes of its files until `closing` ends it. Absent: it has none. */
  follow?(closing: Closing): Promise<void>;
}

/** What a pipeline is opened on. */
export interface Base {
  readonly engines: Engines;
  /** Where the console answers; null while it does not. */
  readonly consoleUrl: () => string | null;
  /** Called by a pipeline as soon as a console in a process of its own can show it; does nothing if there is none. */
  readonly orderConsole: (order: ConsoleOrder) => void;
}

/** Reads what people wrote, before anything is opened; then opens what runs. */
export type PipelineOpener<Opened extends Pipeline> = () => Promise<
  (base: Base, closing: Closing) => Promise<Opened>
>;

interface Assembly<Opened> {
  readonly pipeline: Opened;
  readonly engines: Engines;
  /** Of the console; null if there is none. */
  readonly url: string | null;
}

/**
 * Puts a process together: engines, what runs on them, and the console in this process, in one of its own, or nowhere.
 * `closing` ends all of it. Rejects with a UserError if something that a person wrote is wrong.
 */
export async function assemble<Opened extends Pipeline>(
  { environment, log, signal }: Process,
  options: {
    readonly open: PipelineOpener<Opened>;
    readonly console: "Here" | "Apart" | "None";
    /** A person wrote a configuration on a console in a process of its own. */
    readonly onConfigured?: () => void;
  },
  closing: Closing,
): Promise<Assembly<Opened>> {
  collectGarbageSooner();
  const { onConfigured } = options;
  const apart: ConsoleProcess | null =
    options.console === "Apart" ? startConsoleProcess({ log, signal, onConfigured }) : null;
  if (apart !== null) closing.add(apart.close);
  const openPipeline = await options.open();
  const engines = await openEngines(environment, log);
  closing.add(engines.stop);
  signal.throwIfAborted();
  let url: string | null = null;
  let ordered: Promise<string | null> = Promise.resolve(null);
  const base: Base = {
    engines,
    consoleUrl: () => apart?.url() ?? url,
    orderConsole: (order) => {
      if (apart === null) return;
      ordered = apart.open(order);
      // Whoever waits for it may have failed before.
      ordered.catch(() => {});
    },
  };
  const pipeline = await openPipeline(base, closing);
  // Before what it shows; closing it twice is harmless.
  if (apart !== null) closing.add(apart.close);
  url = options.console === "Here" ? await pipeline.openConsole(closing) : await ordered;
  await pipeline.follow?.(closing);
  return { pipeline, engines, url };
}
