import {
  followReloads,
  joinProcesses,
  type LoadedFiles,
  leaveLocalAddress,
  type listenForHangUps,
  loadFiles,
  type Reloadable,
  refuseDemoData,
  type SetupSchema,
  unknownNamesIn,
} from "#admin";
import { withLocalInbox } from "#console";
import { openSummarizer } from "#feeds";
import { ROLES, type Role, startEarshot } from "#monitor";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { describeFault } from "../lib/errors.ts";
import type { Base, Pipeline, PipelineOpener, Process } from "./assemble.ts";
import type { MonitorConsole } from "./monitor-console.ts";
import { withListening } from "./open-listening.ts";

interface MonitorOptions {
  readonly file: string;
  readonly roles: readonly (Role | "web")[];
  /** Of the console; null: that of the configuration. */
  readonly port: number | null;
  readonly schemas: readonly SetupSchema[];
  /** Where another process serves the Listening API of the feeds; null: this one does. */
  readonly listeningUrl: string | null;
  /** It stands for all of Earshot: says what runs, warns, and leaves a note for commands. */
  readonly isMain: boolean;
  /** SIGHUPs reload it. */
  readonly hangUps: ReturnType<typeof listenForHangUps>;
  /** Called when a reload has changed the address of the console. */
  readonly onMoved?: (url: string) => void;
  readonly clock?: Clock;
}

/**
 * The monitor of a configuration, or some of its roles. On SIGHUP and `earshot reload` it applies configuration, rules and
 * templates as they are then; if they have a fault, it logs it and goes on as before.
 */
export function openMonitor(host: Process, options: MonitorOptions): PipelineOpener<Pipeline> {
  return async () => {
    const { file, roles } = options;
    const files = await loadFiles(file, host.env, { triesTemplates: roles.includes("deliver") });
    return (base, closing) => startMonitor({ host, options, files, base }, closing);
  };
}

interface Parts {
  readonly host: Process;
  readonly options: MonitorOptions;
  readonly files: LoadedFiles;
  readonly base: Base;
}

async function startMonitor(parts: Parts, closing: Closing): Promise<Pipeline> {
  const { host, options, base } = parts;
  const { environment, env, log, signal } = host;
  const { file, roles, port, listeningUrl, clock = systemClock } = options;
  const { databaseUrl, queue, description } = base.engines;
  if (options.isMain) await refuseDemoData(databaseUrl);
  const joined = joinProcesses(roles, parts.files, log);
  const listening = await withListening(
    parts.files.config,
    { ...{ databaseUrl, fetches: roles.includes("poll"), clock, log }, url: listeningUrl ?? undefined },
    closing,
  );
  if (listening.local !== null && options.isMain)
    closing.add(await leaveLocalAddress(environment.home, { ...listening.local, clock }, systemClock));
  base.orderConsole({
    ...{ kind: "monitor", level: log.level, file, databaseUrl, port, keepsPort: false },
    listeningUrl: listening.local?.url ?? null,
  });
  const { consoleUrl } = base;
  const inbox = await withLocalInbox(parts.files.config, { databaseUrl, clock, log, consoleUrl }, closing);
  const opened = (now: LoadedFiles): LoadedFiles => ({
    ...now,
    config: inbox.configOf(listening.configOf(now.config)),
  });
  const files = opened(parts.files);
  const summarize = await openSummarizer(files.config.enrich.chat, { clock, log }, closing);
  const earshot = await startEarshot({
    ...{ config: files.config, files, databaseUrl, queue, clock, log, signal, consoleUrl },
    ...listening.forMonitor,
    summarize: summarize ?? undefined,
    roles: ROLES.filter((role) => roles.includes(role)),
    beforeWork: joined.join,
  });
  closing.add(earshot.stop);
  // Only a warning: a monitor that refuses to start would monitor nothing.
  const warn = async (now: LoadedFiles): Promise<void> => {
    if (!options.isMain) return;
    for (const fault of await unknownNamesIn(file, now.config, now.rules))
      log.warn({ fault: describeFault(fault) }, "a part of the configuration never does anything");
  };
  await warn(files);
  if (options.isMain)
    log.info({ roles, rules: earshot.rules.length, engines: description }, "Earshot is running");
  let kept: MonitorConsole | null = null;
  const shown = { host, options, databaseUrl, listening, press: inbox.press, earshot };
  const reloadable: Reloadable = {
    stores: earshot.stores,
    prepare: async (loaded) => {
      const next = opened(loaded);
      await warn(next);
      const version = await earshot.prepare(next);
      const page = await kept?.prepare(next, version).catch(async (error: unknown) => {
        await version.drop();
        throw error;
      });
      return {
        take: () => {
          const before = kept?.url();
          version.take();
          page?.take();
          const url = kept?.url();
          if (url !== undefined && url !== before) options.onMoved?.(url);
        },
        drop: async () => {
          await page?.drop();
          await version.drop();
        },
      };
    },
  };
  return {
    openConsole: async (closing) => {
      // Only here: a worker does not wait for pages to be read.
      const { keepMonitorConsole } = await import("./monitor-console.ts");
      kept = await keepMonitorConsole(shown, files);
      closing.add(kept.close);
      return kept.url();
    },
    follow: (closing) =>
      followReloads(
        { file, env, joined, files: parts.files, running: reloadable, hangUps: options.hangUps, log },
        closing,
      ),
  };
}
