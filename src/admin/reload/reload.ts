import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { compareVersions, type ReloadRequest, versionsIn } from "#monitor";
import { monotonicMs } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { describeError, UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { loopDelay } from "../../lib/loop-delay.ts";
import { type JoinedProcess, REPORTED_SECONDS, type ReloadStores } from "./join-processes.ts";
import { digestOfFiles, type LoadedFiles, loadFiles } from "./load-files.ts";
import { judgeFiles, nextReload, otherFiles, type ReloadState } from "./next-reload.ts";

/** How often a process says that it lives, and looks whether it is asked to reload. */
const REPORT_MS = SECOND;
/** How often a process that runs another version than was asked for looks whether its files are there now. */
const LOOK_AGAIN_MS = 5 * SECOND;

/** Asks all processes to apply these files. Returns the request, to see their answers. */
export async function requestReload(stores: ReloadStores, digest: string): Promise<ReloadRequest> {
  return stores.processes.request(randomUUID(), (await versionsIn(stores))(digest));
}

/** SIGHUPs of this process. Create it first of all: without a listener the signal ends the process. */
export function listenForHangUps(host: NodeJS.EventEmitter): {
  count(): number;
  next(signal: AbortSignal): Promise<unknown>;
} {
  let count = 0;
  host.on("SIGHUP", () => count++);
  return { count: () => count, next: (signal) => once(host, "SIGHUP", { signal }) };
}

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
  readonly hangUps: ReturnType<typeof listenForHangUps>;
  readonly log: Logger;
}

/**
 * Reports every second which version this process runs, and loads its files on SIGHUP and on `earshot reload`, or
 * refuses them whole, with all faults. `closing` ends it.
 */
export async function followReloads(parts: ReloadingParts, closing: Closing): Promise<void> {
  const { file, env, running, hangUps, log } = parts;
  const { processes } = running.stores;
  const ending = new AbortController();
  const { signal } = ending;
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
      log.error({ version: me.version, faults, filesAre }, "not reloaded: the running configuration goes on");
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

  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const request = await report();
      const state = { ...me, ...known, isReloading: reloading !== null };
      const next = nextReload(state, { hangUps: hangUps.count(), request }, monotonicMs());
      if (next.outcome !== "Wait") known = { ...known, lookAt: monotonicMs() + LOOK_AGAIN_MS };
      if (next.outcome === "ReloadForSignal") startReload(null);
      if (next.outcome === "ReloadForRequest") startReload(next.request);
      if (next.outcome === "LookAtFiles") await lookAtFiles(next.request).catch(() => {});
      // While a reload runs, a signal changes nothing: a thousand of them are not a thousand reports.
      await untilNextRound(reloading === null ? hangUps : null, signal);
    }
    await reloading;
    await processes.leave(me.id).catch(() => {});
  };
  const following = follow();
  closing.add(() => {
    ending.abort(new Error("the process stops"));
    return following;
  });
}

/** A second, or until the next signal. */
async function untilNextRound(hangUps: ReloadingParts["hangUps"] | null, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([
    delay(REPORT_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {}),
    ...(hangUps === null ? [] : [hangUps.next(waiting.signal).catch(() => {})]),
  ]);
  signal.removeEventListener("abort", stop);
  waiting.abort();
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
