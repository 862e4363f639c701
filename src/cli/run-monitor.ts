import {
  followReloads,
  type JoinedProcess,
  joinProcesses,
  type LoadedFiles,
  listenForHangUps,
  loadFiles,
  openSetupView,
  type Reloadable,
  requestReload,
  unknownNamesIn,
} from "#admin";
import {
  type ConsoleProcess,
  type Engines,
  keepConsole,
  openEngines,
  startConsoleProcess,
  withListening,
} from "#app";
import { withLocalInbox } from "#console";
import { type Earshot, type Environment, ROLES, refuseDemoData, ruleFilesOf, startEarshot } from "#monitor";
import { systemClock } from "../lib/clock.ts";
import { type Closing, openTogether } from "../lib/closing.ts";
import { describeError, describeFault } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { aborted, leave, stopSignal, unlessStopped } from "../lib/stop-signal.ts";
import { leaveLocalAddress } from "./local-address.ts";
import { SETUP_SCHEMAS } from "./schemas.ts";
import type { StartOptions } from "./start-options.ts";

interface MonitorOptions extends StartOptions {
  /** Only in the process of a console that another one has started. */
  readonly console?: { readonly listeningUrl: string | null };
}

/**
 * Monitors what the configuration says, in the given roles, until it is stopped; by default with the console in a process
 * of its own. On SIGHUP or `earshot reload` it applies the configuration, rules and templates as they are then; if they
 * have a fault, it logs it and goes on as before.
 */
export async function runMonitor(
  file: string,
  options: MonitorOptions,
  environment: Environment,
  env: NodeJS.ProcessEnv,
  log: Logger,
  /** Called when it runs, with the address of the console; and again when a reload has changed that. */
  onOpen: (url: string | null) => void = () => {},
): Promise<void> {
  const isPart = options.console !== undefined;
  const signal = stopSignal((name) => {
    if (!isPart) log.info({ signal: name }, "stopping");
  });
  const hangUps = listenForHangUps(process);
  const isApart = options.roles === undefined && options.page && !options.oneProcess;
  const wanted = options.roles ?? (isApart || !options.page ? ROLES : [...ROLES, "web"]);
  const opening = openTogether(async (closing) => {
    const apart = isApart ? startConsoleProcess({ log, signal }) : null;
    if (apart !== null) closing.add(apart.close);
    const files = await loadFiles(file, env, { triesTemplates: wanted.includes("deliver") });
    const engines = await openEngines(environment, log);
    closing.add(engines.stop);
    signal.throwIfAborted();
    await refuseDemoData(engines.databaseUrl);
    const joined = joinProcesses(wanted, files, log);
    const started = {
      file,
      home: environment.home,
      env,
      files,
      engines,
      options,
      wanted,
      joined,
      apart,
      log,
      signal,
      onOpen,
    };
    const monitor = await startMonitor(started, closing);
    await followReloads({ file, env, joined, files, running: monitor, hangUps, log }, closing);
    return closing;
  });
  const running = await unlessStopped(opening, signal);
  await aborted(signal);
  await running?.close();
  leave();
}

async function startMonitor(
  parts: {
    readonly file: string;
    readonly home: string;
    readonly env: NodeJS.ProcessEnv;
    readonly files: LoadedFiles;
    readonly engines: Engines;
    readonly options: MonitorOptions;
    readonly wanted: readonly string[];
    readonly joined: JoinedProcess;
    /** The console, where it is another process. */
    readonly apart: ConsoleProcess | null;
    readonly log: Logger;
    readonly signal: AbortSignal;
    readonly onOpen: (url: string | null) => void;
  },
  closing: Closing,
): Promise<Reloadable> {
  const { file, home, env, engines, options, wanted, joined, apart, log, signal, onOpen } = parts;
  let url: string | null = null;
  const consoleUrl = () => apart?.url() ?? url;
  const listeningUrl = options.console?.listeningUrl ?? null;
  const listening = await withListening(
    parts.files.config,
    {
      ...{ databaseUrl: engines.databaseUrl, fetches: wanted.includes("poll"), clock: systemClock, log },
      ...(listeningUrl !== null && { url: listeningUrl }),
    },
    closing,
  );
  if (listening.local !== null && listeningUrl === null)
    closing.add(await leaveLocalAddress(home, { ...listening.local, clock: systemClock }, systemClock));
  const opened = apart?.open({
    ...{ kind: "monitor", level: log.level, file, port: options.port ?? null },
    ...{ databaseUrl: engines.databaseUrl, listeningUrl: listening.local?.url ?? null },
  });
  const inbox = await withLocalInbox(
    parts.files.config,
    { databaseUrl: engines.databaseUrl, clock: systemClock, log, consoleUrl },
    closing,
  );
  const withSource = (now: LoadedFiles): LoadedFiles => ({
    ...now,
    config: inbox.configOf(listening.configOf(now.config)),
  });
  const files = withSource(parts.files);
  const earshot = await startEarshot({
    config: files.config,
    files,
    ...listening.forMonitor,
    databaseUrl: engines.databaseUrl,
    queue: engines.queue,
    clock: systemClock,
    log,
    roles: ROLES.filter((role) => wanted.includes(role)),
    consoleUrl,
    beforeWork: joined.join,
    signal,
  });
  closing.add(earshot.stop);
  if (apart !== null) closing.add(apart.close);
  const contentsOf = (
    { config }: LoadedFiles,
    { rules, previews, why }: Pick<Earshot, "rules" | "previews" | "why">,
  ) => ({
    databaseUrl: engines.databaseUrl,
    clock: systemClock,
    log,
    settings: { ...config.web, timezone: config.timezone, port: options.port ?? config.web.port },
    hasLocalInbox: config.usesLocalInbox,
    ...(inbox.interaction === null ? {} : { interaction: inbox.interaction }),
    queues: earshot.queueCounts,
    besidePipeline: wanted.length > 1,
    rules,
    previews,
    why,
    ruleFiles: { ...ruleFilesOf(config), reload: () => reloadSaved(file, env, earshot.stores) },
    receivers: config.receivers,
    ...(listening.push === null ? {} : { push: listening.push }),
    ...(listening.view === null ? {} : { feeds: listening.view }),
    setup: openSetupView({
      file,
      configured: { env, stores: earshot.stores },
      timezone: config.timezone,
      schemas: SETUP_SCHEMAS,
      next: "Restart Earshot to use it.",
      clock: systemClock,
      log,
    }),
  });
  // Only a warning: a monitor that refuses to start would monitor nothing.
  const warn = async (now: LoadedFiles): Promise<void> => {
    for (const fault of await unknownNamesIn(file, now.config, now.rules))
      log.warn({ fault: describeFault(fault) }, "a part of the configuration never does anything");
  };
  if (options.console === undefined) {
    await warn(files);
    log.info(
      { roles: wanted, rules: earshot.rules.length, engines: engines.description },
      "Earshot is running",
    );
  }
  const console =
    wanted.includes("web") && options.page ? await keepConsole(contentsOf(files, earshot), log) : null;
  if (console !== null) closing.add(console.close);
  url = opened === undefined ? (console?.url ?? null) : await opened;
  if (url !== null && options.console === undefined) log.info({ url }, "the page is open");
  onOpen(url);
  return {
    stores: earshot.stores,
    prepare: async (wantedFiles) => {
      const next = withSource(wantedFiles);
      if (options.console === undefined) await warn(next);
      const version = await earshot.prepare(next);
      const page = await console?.prepare(contentsOf(next, version)).catch(async (error: unknown) => {
        await version.drop();
        throw error;
      });
      return {
        take: () => {
          version.take();
          page?.take();
          if (console === null || console.url === url) return;
          url = console.url;
          onOpen(url);
        },
        drop: async () => {
          await page?.drop();
          await version.drop();
        },
      };
    },
  };
}

/** After a rule was saved on the console: as `earshot reload` does, but without waiting for the processes. */
async function reloadSaved(file: string, env: NodeJS.ProcessEnv, stores: Earshot["stores"]): Promise<string> {
  try {
    const { digest } = await loadFiles(file, env, { triesTemplates: true });
    await requestReload(stores, digest);
    return "Every process applies it within some seconds. Coverage shows which version each of them runs.";
  } catch (error) {
    return `It is not in use yet: ${describeError(error)}. earshot check shows the faults; then run earshot reload.`;
  }
}
