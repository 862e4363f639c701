import { leaveLocalAddress, openDemoDatabase, type SetupSchema } from "#admin";
import { expectFreePort, LOCAL_ACCOUNT } from "#console";
import { type Demo, type DemoConsoleOrder, openDemoPage, openShownDemo, startDemo } from "#lab";
import { systemClock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { shippedFolder } from "../lib/folders.ts";
import type { Base, Pipeline, PipelineOpener, Process } from "./assemble.ts";

interface DemoOptions {
  /** Of the console; null: the usual one, or the next free one. */
  readonly port: number | null;
  readonly schemas: readonly SetupSchema[];
  /** Called before days of the past are written. */
  readonly onHistory: () => void;
  /** Called when a page has written a configuration. */
  readonly onConfigured: () => void;
}

const DEFAULT_PORT = 8080;

/** The demo: everything on this machine, in a database of its own. */
export function openDemo(
  process: Process,
  options: DemoOptions,
): PipelineOpener<Pipeline & { readonly demo: Demo }> {
  return async () => async (base, closing) => {
    const { environment, log, signal } = process;
    if (options.port !== null && options.port !== 0)
      await expectFreePort({ host: "127.0.0.1", port: options.port });
    const databaseUrl = await openDemoDatabase(base.engines.databaseUrl);
    options.onHistory();
    const queue = queueOf(base, databaseUrl);
    const demo = await startDemo({
      ...{ databaseUrl, queue, log, consoleUrl: base.consoleUrl, signal },
      rules: shippedFolder("rules"),
      templates: shippedFolder("templates"),
    });
    closing.add(demo.stop);
    const { clock, local } = demo;
    const { apiUrl, secrets, press } = local;
    const login = { username: LOCAL_ACCOUNT.username, password: secrets.password };
    const address = { url: apiUrl, login, clock, isDemo: true };
    closing.add(await leaveLocalAddress(environment.home, address, systemClock));
    const order: DemoConsoleOrder = {
      ...{ kind: "demo", databaseUrl, queue, apiUrl, password: secrets.password },
      clock: { at: clock.now(), wallAt: systemClock.now(), speed: clock.speed },
      tryNextPort: options.port === null,
      configFile: environment.configFile,
    };
    const port = options.port ?? DEFAULT_PORT;
    base.orderConsole({ ...order, level: log.level, port, keepsPort: true });
    return {
      demo,
      openConsole: (closing) =>
        openDemoPage({ ...demo, press }, { ...options, ...order, port, besidePipeline: true, log }, closing),
    };
  };
}

function queueOf({ engines: { queue } }: Base, databaseUrl: string) {
  return queue.kind === "redis" ? { ...queue, prefix: "earshot-demo" } : { ...queue, url: databaseUrl };
}

/** The console of a demo that another process runs. Resolves with its address. */
export async function openDemoConsole(
  order: DemoConsoleOrder & { readonly port: number | null },
  parts: Pick<DemoOptions, "schemas" | "onConfigured"> & Pick<Process, "log" | "signal">,
  closing: Closing,
): Promise<string> {
  let url: string | null = null;
  const { log, signal } = parts;
  const shown = await openShownDemo(order, { log, signal, consoleUrl: () => url }, closing);
  const port = order.port ?? DEFAULT_PORT;
  url = await openDemoPage(shown, { ...parts, ...order, port, besidePipeline: false }, closing);
  return url;
}
