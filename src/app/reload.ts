import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Closing } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import { shippedFolder } from "../lib/folders.ts";
import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import { compareVersions, type ReloadRequest } from "../model/process.ts";
import type { ProcessReport } from "../store/processes.ts";
import type { Stores } from "../store/stores.ts";
import { digestOfFiles, type LoadedFiles, loadFiles, versionsIn } from "./load-files.ts";

/** How often a process says that it lives, and looks whether it is asked to reload. */
const REPORT_MS = SECOND;
/** How often a process that runs another version than was asked for looks whether its files are there now. */
const LOOK_AGAIN_MS = 5 * SECOND;

type ReloadStores = Pick<Stores, "processes" | "settings">;

/** Asks all processes to take up these files. Returns the request, to see what becomes of it. */
export async function requestReload(stores: ReloadStores, digest: string): Promise<ReloadRequest> {
  return stores.processes.request(randomUUID(), (await versionsIn(stores))(digest));
}

/** SIGHUPs of this process. Create it first of all: without a listener the signal ends the process. */
export function listenForHangUps(host: NodeJS.Process): {
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

/** What a process reports about itself from its first moment on. */
export interface JoinedProcess {
  /** Reports it for the first time. Without an answer of the database it goes on; it reports itself again later. */
  join(stores: ReloadStores): Promise<void>;
  first(): ProcessReport;
}

/** Call `join` before the process works: until then, others end alerts of rules that only this process knows. */
export function joinProcesses(
  roles: readonly string[],
  files: Pick<LoadedFiles, "digest">,
  log: Logger,
): JoinedProcess {
  let me: ProcessReport | null = null;
  return {
    join: async (stores) => {
      const version = (await versionsIn(stores))(files.digest);
      const named = { id: randomUUID(), host: hostname(), pid: process.pid, roles };
      me = { ...named, version, refused: null, answered: null };
      const request = await stores.processes.report(me).catch((error: unknown) => {
        log.warn({ error: describeError(error) }, "the process could not report itself");
        return null;
      });
      // A request from before the start was read by others; whether its files are here shows later.
      me = { ...me, answered: request?.id ?? null };
    },
    first: () => {
      if (me === null) throw new Error("the process has not joined the others");
      return me;
    },
  };
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
 * Reports every second which version this process runs, and takes up its files on SIGHUP and on `earshot reload`, or
 * refuses them whole, with all faults. `closing` ends it.
 */
export async function followReloads(parts: ReloadingParts, closing: Closing): Promise<void> {
  const { file, env, running, hangUps, log } = parts;
  const { processes } = running.stores;
  const ending = new AbortController();
  const { signal } = ending;
  const versionOf = await versionsIn(running.stores);
  let { files } = parts;
  let lastDigest: string | null = files.digest;
  let me = parts.joined.first();
  // One after the other: an older report must not overwrite a newer one.
  let reported: Promise<ReloadRequest | null> = Promise.resolve(null);
  const announce = () => {
    reported = reported.catch(() => null).then(() => processes.report(me));
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
    lastDigest = await digestOfFiles(file, env);
    try {
      const next = await loadFiles(file, env, { folders: files.config, triesTemplates: true });
      lastDigest = next.digest;
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

  const due = async (
    request: ReloadRequest | null,
    heard: boolean,
  ): Promise<ReloadRequest | null | false> => {
    if (heard) return null;
    if (request === null) return false;
    if (request.id !== me.answered) return request;
    if (request.version === me.version) return false;
    const digest = await digestOfFiles(file, env);
    if (digest === null) return false;
    const filesAre = versionOf(digest);
    // Faults that a reload found stay until the next one.
    if (filesAre !== request.version && (me.refused === null || me.refused.filesAre !== null)) {
      const { asked } = compareVersions(await processes.running(), request);
      const isCurrent = asked === request.version;
      me = { ...me, refused: isCurrent ? { faults: [otherFiles(filesAre, request)], filesAre } : null };
    }
    if (digest === lastDigest) return false;
    lastDigest = digest;
    return filesAre === request.version && request;
  };

  let busy: Promise<void> | null = null;
  const follow = async (): Promise<void> => {
    for (let heard = 0, lookAt = 0, round = 0; !signal.aborted; round++) {
      const request = await report();
      if (busy === null && (hangUps.count() !== heard || request?.id !== me.answered || round >= lookAt)) {
        lookAt = round + LOOK_AGAIN_MS / REPORT_MS;
        const wanted = await due(request, hangUps.count() !== heard).catch(() => false as const);
        heard = hangUps.count();
        if (wanted !== false)
          busy = reload(wanted)
            .then(report)
            .then(() => {
              busy = null;
            });
      }
      const waiting = new AbortController();
      const stop = () => waiting.abort();
      signal.addEventListener("abort", stop, { once: true });
      const options = { signal: waiting.signal };
      await Promise.race([
        delay(REPORT_MS, undefined, { ...options, ref: false }).catch(() => {}),
        hangUps.next(waiting.signal).catch(() => {}),
      ]);
      signal.removeEventListener("abort", stop);
      waiting.abort();
    }
    await busy;
    await processes.leave(me.id).catch(() => {});
  };
  const following = follow();
  closing.add(() => {
    ending.abort(new Error("the process stops"));
    return following;
  });
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

function otherFiles(filesAre: string, { version }: ReloadRequest): string {
  return `its files are version ${filesAre}, and ${version} was asked for: copy the new files there`;
}

function faultsOf(error: unknown): readonly string[] {
  const details = error instanceof UserError ? error.details : [];
  return details.length > 0 ? details : [describeError(error)];
}
