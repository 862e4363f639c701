import { randomUUID } from "node:crypto";
import { compareVersions, type ReloadRequest, versionsIn } from "#monitor";
import { monotonicMs } from "../../lib/clock.ts";
import { describeError, UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { loopDelay } from "../../lib/loop-delay.ts";
import type { HangUps } from "./hang-ups.ts";
import { type JoinedProcess, REPORTED_SECONDS, type ReloadStores } from "./join-processes.ts";
import { digestOfFiles, type LoadedFiles, loadFiles } from "./load-files.ts";
import { judgeFiles, type NextReload, otherFiles, type ReloadState } from "./next-reload.ts";

/** How often a process that runs another version than was asked for looks whether its files are there now. */
const LOOK_AGAIN_MS = 5 * SECOND;

/** A running process whose configuration can be replaced. */
export interface Reloadable {
  readonly stores: ReloadStores;
  /** Opens this version beside the running one, which goes on. Rejects if it cannot be opened. */
  prepare(files: LoadedFiles): Promise<{ take(): void; drop(): Promise<void> }>;
}

export interface ReloadingParts {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly joined: JoinedProcess;
  /** What it runs now. */
  readonly files: LoadedFiles;
  readonly running: Reloadable;
  readonly hangUps: HangUps;
  readonly log: Logger;
}

/** What a process reports of itself, and the reloads that it does. */
interface Reloads {
  state(): ReloadState;
  /** Reports to the other processes; resolves with the newest request, or null if the database is away. */
  report(): Promise<ReloadRequest | null>;
  /** Starts a reload, or looks whether files that were asked for are here now. */
  act(next: NextReload): Promise<void>;
  /** Waits for a reload that runs, and leaves the other processes. */
  end(): Promise<void>;
}

/** `signal` ends it: a version that was opened meanwhile is dropped. */
export async function createReloads(parts: ReloadingParts, signal: AbortSignal): Promise<Reloads> {
  const { file, env, running, hangUps, log } = parts;
  const { processes } = running.stores;
  const versionOf = await versionsIn(running.stores);
  let { files } = parts;
  let me = parts.joined.first();
  let known: Pick<ReloadState, "hangUps" | "digest" | "lookAt"> = {
    hangUps: 0,
    digest: files.digest,
    lookAt: 0,
  };
  let reloading: Promise<void> | null = null;
  // One after the other: an older report must not overwrite a newer one.
  let reported: Promise<ReloadRequest | null> = Promise.resolve(null);
  const announce = () => {
    reported = reported
      .catch(() => null)
      .then(() => processes.report({ ...me, loop: loopDelay(REPORTED_SECONDS) }));
    return reported;
  };
  const report = () =>
    announce().catch((error: unknown) => {
      log.debug({ error: describeError(error) }, "the process could not report itself");
      return null;
    });

  /** Null: whatever the files are now. */
  const reload = async (request: ReloadRequest | null): Promise<void> => {
    const before = me.answered;
    const answered = request?.id ?? before;
    const refuse = (faults: readonly string[], filesAre: string | null): void => {
      me = { ...me, answered, refused: { faults, filesAre } };
      log.error(
        { version: me.version, faults, filesAre },
        "not reloaded: the running configuration stays in use",
      );
    };
    // Before, so that what changes while they are loaded is looked at again.
    const digest = await digestOfFiles(file, env);
    known = { ...known, digest };
    try {
      const next = await loadFiles(file, env, { folders: files.config, triesTemplates: true });
      known = { ...known, digest: next.digest };
      const version = versionOf(next.digest);
      if (request !== null && version !== request.version)
        return refuse([otherFiles(version, request)], version);
      refuseVanished(files, next);
      const prepared = await running.prepare(next);
      if (signal.aborted) return void (await prepared.drop());
      const isNew = version !== me.version;
      const runs = me.version;
      // Others have to know before, or they end what a new rule opens as that of a rule that is gone.
      me = { ...me, version };
      await announce().catch(async (error: unknown) => {
        me = { ...me, version: runs };
        await prepared.drop();
        throw error;
      });
      prepared.take();
      files = next;
      me = { ...me, refused: null, answered };
      log.info({ version }, "the configuration was reloaded");
      if (request === null && isNew) await askOthers(version).catch(() => {});
    } catch (error) {
      refuse(faultsOf(error), null);
      // What is no fault of the files passes: the request stays unanswered, and is tried again.
      if (!(error instanceof UserError) && request !== null) me = { ...me, answered: before };
    }
  };

  /** A signal reaches one process, and all should run the same. */
  const askOthers = async (version: string): Promise<void> => {
    if ((await processes.requested())?.version === version) return;
    me = { ...me, answered: (await processes.request(randomUUID(), version)).id };
  };

  const startReload = (request: ReloadRequest | null): void => {
    // Signals that arrive from now on are for the next one.
    if (request === null) known = { ...known, hangUps: hangUps.count() };
    reloading = reload(request)
      .then(report)
      .then(() => {
        reloading = null;
      });
  };

  const lookAtFiles = async (request: ReloadRequest): Promise<void> => {
    const digest = await digestOfFiles(file, env);
    if (digest === null) return;
    const { asked } = compareVersions(await processes.running(), request);
    const looked = judgeFiles({ ...me, ...known }, request, { digest, version: versionOf(digest) }, asked);
    known = { ...known, digest };
    me = { ...me, refused: looked.refused };
    if (looked.reloads) startReload(request);
  };

  return {
    state: () => ({ ...me, ...known, isReloading: reloading !== null }),
    report,
    act: async (next) => {
      if (next.outcome !== "Wait") known = { ...known, lookAt: monotonicMs() + LOOK_AGAIN_MS };
      if (next.outcome === "ReloadForSignal") startReload(null);
      if (next.outcome === "ReloadForRequest") startReload(next.request);
      if (next.outcome === "LookAtFiles") await lookAtFiles(next.request).catch(() => {});
    },
    end: async () => {
      await reloading;
      await processes.leave(me.id).catch(() => {});
    },
  };
}

/** A folder that is empty or gone is more likely a copy that goes wrong than a wish. */
function refuseVanished(before: LoadedFiles, next: LoadedFiles): void {
  const faults: string[] = [];
  if (before.rules.length > 0 && next.rules.length === 0)
    faults.push(
      `${next.config.rules} has no rules any more, and ${before.rules.length} are running: to monitor without rules, restart`,
    );
  const shipped = shippedFolder("templates");
  if (before.config.templates !== shipped && next.config.templates === shipped)
    faults.push(
      `the folder ${before.config.templates} is gone: to use the shipped templates, leave an empty folder there`,
    );
  if (faults.length > 0) throw new UserError("files are gone", faults);
}

function faultsOf(error: unknown): readonly string[] {
  const details = error instanceof UserError ? error.details : [];
  return details.length > 0 ? details : [describeError(error)];
}
