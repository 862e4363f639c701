import { type Environment, listenForHangUps } from "#admin";
import { assemble, openMonitor } from "#app";
import { ROLES } from "#monitor";
import { openTogether } from "../lib/closing.ts";
import type { Logger } from "../lib/log.ts";
import { aborted, leave, stopSignal, unlessStopped } from "../lib/stop-signal.ts";
import { SETUP_SCHEMAS } from "./schemas.ts";
import type { StartOptions } from "./start-options.ts";

interface MonitorOptions extends StartOptions {
  /** Only in the process of a console that another one has started. */
  readonly console?: { readonly listeningUrl: string | null };
}

/** Monitors what the configuration says, in the given roles, until it is stopped; by default with the console in a process of its own. */
export async function runMonitor(
  file: string,
  options: MonitorOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
  /** Called when it runs, with the address of the console; and again when a reload has changed that. */
  onOpen: (url: string | null) => void = () => {},
): Promise<void> {
  const isMain = options.console === undefined;
  const signal = stopSignal((name) => {
    if (isMain) log.info({ signal: name }, "stopping");
  });
  const hangUps = listenForHangUps(process);
  const isApart = options.roles === undefined && options.page && !options.oneProcess;
  const roles = options.roles ?? (isApart || !options.page ? ROLES : [...ROLES, "web"]);
  const opening = openTogether(async (closing) => {
    const host = { environment, env, log, signal };
    const open = openMonitor(host, {
      ...{ file, roles, isMain, hangUps, schemas: SETUP_SCHEMAS, onMoved: onOpen },
      port: options.port ?? null,
      listeningUrl: options.console?.listeningUrl ?? null,
    });
    const here = roles.includes("web") && options.page ? "Here" : "None";
    const { url } = await assemble(host, { open, console: isApart ? "Apart" : here }, closing);
    if (url !== null && isMain) log.info({ url }, "the page is open");
    onOpen(url);
    return closing;
  });
  const running = await unlessStopped(opening, signal);
  await aborted(signal);
  await running?.close();
  leave();
}
