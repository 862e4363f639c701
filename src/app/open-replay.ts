import { openPage } from "#console";
import { openRules, type Replay, type ReplayOptions, ruleFilesOf, startReplay } from "#lab";
import type { Pipeline, PipelineOpener, Process } from "./assemble.ts";

const DEFAULT_PORT = 8080;

/** A replay of past mentions, in a database of its own. */
export function openReplay(
  { environment, log, signal }: Process,
  options: Pick<ReplayOptions, "file" | "speed" | "rules" | "templates" | "onProgress"> & {
    /** Of the console; null: the usual one, or the next free one. */
    readonly port: number | null;
  },
): PipelineOpener<Pipeline & { readonly replay: Replay }> {
  return async () =>
    async ({ engines, consoleUrl }, closing) => {
      const { port, ...played } = options;
      const replay = await startReplay({
        ...{ ...played, log, signal, consoleUrl },
        databaseUrl: engines.databaseUrl,
        redisUrl: environment.redisUrl,
      });
      closing.add(replay.stop);
      const { databaseUrl, clock, earshot } = replay;
      const { rules, config, previews } = earshot;
      return {
        replay,
        openConsole: async (closing) => {
          const page = await openPage({
            ...{ databaseUrl, clock, log, rules, previews, hasLocalInbox: true },
            settings: { host: "127.0.0.1", port: port ?? DEFAULT_PORT, timezone: "UTC" },
            tryNextPort: port === null,
            openRules: openRules(ruleFilesOf(config), { clock, log, timezone: "UTC" }),
          });
          closing.add(page.close);
          return page.url;
        },
      };
    };
}
