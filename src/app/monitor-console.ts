import { type LoadedFiles, openSetupView, reloadSaved, type SetupSchema } from "#admin";
import { keepConsole, type PageOptions } from "#console";
import { openRules, openTemplateEditor, ruleFilesOf } from "#lab";
import type { Earshot } from "#monitor";
import { systemClock as clock } from "../lib/clock.ts";
import type { Process } from "./assemble.ts";
import type { Listening } from "./open-listening.ts";

/** The console of a monitor in its process. */
export interface MonitorConsole {
  url(): string;
  /** Opens another beside it, for a version of the files that is not in use yet. */
  prepare(files: LoadedFiles, version: Version): Promise<{ take(): void; drop(): Promise<void> }>;
  close(): Promise<void>;
}

type Version = Pick<Earshot, "rules" | "previews" | "why">;

interface Parts {
  readonly host: Process;
  readonly options: {
    /** earshot.yaml, which its pages may change. */
    readonly file: string;
    readonly roles: readonly string[];
    /** Null: that of the configuration. */
    readonly port: number | null;
    readonly schemas: readonly SetupSchema[];
  };
  readonly databaseUrl: string;
  readonly listening: Listening;
  /** Clicks a button in the local inbox; null: there is none. */
  readonly press: NonNullable<PageOptions["press"]> | null;
  readonly earshot: Earshot;
}

/** Opens it. Rejects with a UserError if its port is in use, or its settings are wrong. */
export async function keepMonitorConsole(parts: Parts, files: LoadedFiles): Promise<MonitorConsole> {
  const kept = await keepConsole(contentsOf(parts, files, parts.earshot), parts.host.log);
  return {
    url: () => kept.url,
    prepare: (next, version) => kept.prepare(contentsOf(parts, next, version)),
    close: kept.close,
  };
}

/** What it shows of a version of the files. */
function contentsOf(
  { host, options, databaseUrl, listening, press, earshot }: Parts,
  { config }: LoadedFiles,
  { rules, previews, why }: Version,
): Omit<PageOptions, "tryNextPort"> {
  const { env, log } = host;
  const { file, port, schemas } = options;
  const { stores, queueCounts: queues } = earshot;
  const writesCorrections = config.sources.some((one) => one.writeCorrections);
  const files = { ...ruleFilesOf(config), reload: () => reloadSaved(file, env, stores) };
  return {
    ...{ databaseUrl, clock, log, queues, rules, previews, why },
    settings: { ...config.web, timezone: config.timezone, port: port ?? config.web.port, writesCorrections },
    hasLocalInbox: config.usesLocalInbox,
    press: press ?? undefined,
    besidePipeline: options.roles.length > 1,
    openRules: openRules(files, { timezone: config.timezone, clock, log }),
    openTemplates: openTemplateEditor({ folder: config.templates, reload: files.reload }, log),
    receivers: config.receivers,
    push: listening.push ?? undefined,
    hubs: listening.hubs ?? undefined,
    feeds: listening.view ?? undefined,
    setup: openSetupView({
      ...{ file, configured: { env, stores }, timezone: config.timezone, schemas, clock, log },
      next: "Restart Earshot to use it.",
    }),
  };
}
