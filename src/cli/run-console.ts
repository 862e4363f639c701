import { once } from "node:events";
import { setPriority } from "node:os";
import type { Environment } from "#admin";
import type { ConsoleOrder } from "#app";
import type { ConsoleNews } from "#console";
import { describeError, UserError } from "../lib/errors.ts";
import { createLog } from "../lib/log.ts";
import { leave, stopSignal } from "../lib/stop-signal.ts";
import type { StartOptions } from "./start-options.ts";

/** Where both want the processor, the kernel gives the pipeline three times as much as the readers. */
const NICENESS = 5;

/**
 * The console as a process of its own. It waits for the order of the process that started it, reports to it, and ends
 * when that one ends. See src/console/console-process.ts.
 */
export async function runConsole(
  options: StartOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (!process.connected) throw new UserError("the console process is started by earshot start");
  const signal = stopSignal();
  // Until its files are loaded, there is nothing that could be reloaded.
  process.on("SIGHUP", () => {});
  const ordered = once(process, "message", { signal }) as Promise<[ConsoleOrder]>;
  ordered.catch(() => {});
  const { runMonitor } = await import("./run-monitor.ts");
  try {
    const [order] = await ordered;
    const log = createLog({ level: order.level });
    const started = { ...options, roles: ["web"] as const, ...(order.port !== null && { port: order.port }) };
    const onOpen = (url: string | null): void => {
      report({ what: "open", url });
      yieldToPipeline();
    };
    if (order.kind === "monitor") {
      const { file, databaseUrl, listeningUrl } = order;
      const here = { ...environment, databaseUrl };
      await runMonitor(file, { ...started, console: { listeningUrl } }, here, env, log, onOpen);
    } else {
      const { runDemoConsole } = await import("./run-demo.ts");
      await runDemoConsole(order, log, onOpen, () => report({ what: "configured" }));
    }
  } catch (error) {
    if (!signal.aborted) {
      const isOfUser = error instanceof UserError;
      const message = isOfUser ? error.message : describeError(error);
      report({ what: "failed", message, details: isOfUser ? error.details : [], isOfUser }, () =>
        process.disconnect(),
      );
    }
    process.exitCode = 1;
    leave();
  }
}

function report(news: ConsoleNews, onSent: () => void = () => {}): void {
  if (process.connected) process.send?.(news, onSent);
}

/** Not before it is open, so that a start is as quick as ever. A system that does not allow it does without. */
function yieldToPipeline(): void {
  try {
    setPriority(NICENESS);
  } catch {}
}
