import { randomUUID } from "node:crypto";
import { loadFiles } from "../../src/admin/reload/load-files.ts";
import { requestReload } from "../../src/admin/reload/request-reload.ts";
import { monotonicMs } from "../../src/lib/clock.ts";
import { UserError } from "../../src/lib/errors.ts";
import { createRandom } from "../../src/listening-api/simulate/random.ts";
import { answerOf, type ReloadRequest, type RunningProcess } from "../../src/monitor/model/process.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { bundleEntries } from "../bundle.ts";
import { collect } from "../chaos/collect.ts";
import { expectedOf } from "../chaos/expected.ts";
import { compareWorlds, type LedgerLine } from "../chaos/ledger.ts";
import type { QueueKind } from "../chaos/plan-kills.ts";
import { isDrained, isWatching, lastMomentOf } from "../chaos/progress.ts";
import { publish } from "../chaos/publish.ts";
import { createStream, type PlannedMention } from "../chaos/stream.ts";
import { until } from "../chaos/until.ts";
import { startWorkers, type WorkerPool } from "../chaos/worker-pool.ts";
import { openWorld, type World } from "../chaos/world.ts";
import { createVersions, findMixtures, KINDS, type Kind } from "./versions.ts";

export interface ReloadsOptions {
  readonly times: number;
  readonly seed: number;
  readonly queue: QueueKind;
  /** Mentions between two reloads. */
  readonly mentionsEach: number;
  /** One in so many reloads kills a worker. */
  readonly killEvery: number;
  /** How long one reload, and all work after the last one, may take. */
  readonly patienceMs: number;
  /** Ends the reloads; what was published until then is compared. */
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

export interface ReloadsReport {
  readonly reloads: Readonly<Record<Kind, number>>;
  readonly kills: number;
  readonly mentions: number;
  readonly messages: number;
  /** From the request until every process ran the new version, in milliseconds. */
  readonly appliedMs: { readonly median: number; readonly p95: number; readonly most: number };
  readonly isDrained: boolean;
  readonly endedBadly: readonly string[];
  readonly ledger: readonly LedgerLine[];
  readonly broken: boolean;
  readonly lastLines: string;
}

const WORKER = "test/chaos/worker.ts";
const ROLES = ["poll", "tick", "deliver", "sweep"];
const START_PATIENCE_MS = 300_000;
/** The stream's time between two reloads. */
const STEP_MS = 1_000;

/** Reloads good and bad files while mentions flow and workers are killed, and compares what came of the mentions. */
export async function runReloads(options: ReloadsOptions): Promise<ReloadsReport> {
  const world = await openWorld(options.queue, { withScenario: false });
  try {
    const versions = createVersions(world.folder);
    await versions.put(0, "good");
    const bundle = await bundleEntries([WORKER]);
    world.closing.add(bundle.remove);
    const env = { ...world.env, EARSHOT_CONFIG: versions.file };
    const workers = startWorkers(bundle.file(WORKER), env, ROLES);
    world.closing.add(async () => void (await workers.stop()));
    const database = openDatabase({ url: world.facts.url, connections: 2, onError: () => {} });
    world.closing.add(database.close);
    options.onProgress("the workers are starting");
    if (!(await until(START_PATIENCE_MS, () => isWatching(world))))
      throw new Error("the workers did not start");
    const done = await reloadAll(options, { world, workers, versions, stores: createStores(database.db) });
    options.onProgress("no more reloads; waiting until all is done");
    const drained = await until(options.patienceMs, () => isDrained(world, done.lastMoment));
    const endedBadly = [...workers.crashed(), ...(await workers.stop())];
    const found = await collect(world, null);
    const messages = [
      ...world.slack.calls
        .filter(({ method, fields }) => method.startsWith("chat.") && fields["text"] !== undefined)
        .map(({ fields }) => `${fields["text"]} ${fields["blocks"] ?? ""}`),
      ...world.smtp.mails.map(({ parsed }) => `${parsed.from?.text} ${parsed.text}`),
    ];
    const { mixed, refused, plain } = findMixtures(messages, done.good);
    const line = (what: string, of: number, wrong: readonly string[]): LedgerLine => ({
      ...{ what, of, wrong: wrong.length, limit: 0, broken: wrong.length > 0, examples: wrong.slice(0, 3) },
    });
    const reloads = Object.values(done.reloads).reduce((sum, n) => sum + n, 0);
    const ledger = [
      line("reloads with another outcome than due", reloads, done.faults),
      line("messages of two versions", messages.length, mixed),
      line("messages of a refused version", messages.length, refused),
      line("messages of no version", messages.length, plain),
      ...compareWorlds(expectedOf(done.published, { withScenario: false }), found),
    ];
    const broken = ledger.some((one) => one.broken) || !drained || endedBadly.length > 0;
    const { published, appliedMs, kills } = done;
    return {
      ...{ reloads: done.reloads, kills, mentions: published.length, messages: messages.length },
      ...{ appliedMs: figuresOf(appliedMs), isDrained: drained, endedBadly, ledger, broken },
      lastLines: broken ? workers.lastLines() : "",
    };
  } finally {
    await world.closing.close();
  }
}

async function reloadAll(
  options: ReloadsOptions,
  parts: {
    readonly world: World;
    readonly workers: WorkerPool;
    readonly versions: ReturnType<typeof createVersions>;
    readonly stores: Stores;
  },
) {
  const { world, workers, versions, stores } = parts;
  const { times, seed, mentionsEach, patienceMs } = options;
  const random = createRandom("reloads", seed);
  const stream = createStream({ seed, lastsMs: times * STEP_MS, perSecond: mentionsEach });
  const reloads = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  const published: PlannedMention[] = [];
  const good = new Set([0]);
  const appliedMs: number[] = [];
  const faults: string[] = [];
  let [kills, lastMoment] = [0, 0];
  let running: string | null = null;
  for (let version = 1; version <= times && !options.signal.aborted; version++) {
    const before = (version - 1) * STEP_MS;
    const next = stream.filter(({ at }) => at >= before && at < before + STEP_MS);
    const from = world.clock.now() - before;
    await publish(world, next, from);
    published.push(...next);
    lastMoment = Math.max(lastMoment, lastMomentOf(next, from));
    // Every second one is good; the last one is, so that all can be done.
    const kind = version % 2 === 1 || version === times ? "good" : random.pick(KINDS.slice(1));
    if (kind === "good") good.add(version);
    await versions.put(version, kind);
    reloads[kind] += 1;
    const request = await ask(versions.file, world.env, stores).catch((error: unknown) => {
      faults.push(`${kind} ${version}: ${error}`);
      return null;
    });
    if (request === null) continue;
    if ((kind === "good") !== request.isValid)
      faults.push(`${kind} ${version}: the check here said otherwise`);
    // Not while the files have a fault: what is killed then does not start again until they are good.
    if (
      kind === "good" &&
      random.chance(2 / options.killEvery) &&
      (await workers.kill(random.whole(0, ROLES.length - 1)))
    )
      kills += 1;
    const askedAt = monotonicMs();
    const isDone = await until(patienceMs, async () => {
      const processes = (await stores.processes.running()).filter(({ pid }) => isAlive(pid));
      return (
        processes.length === ROLES.length &&
        processes.every((one) => isAsDue(one, request.asked, kind, running))
      );
    });
    if (!isDone) faults.push(`${kind} ${version}: ${await summary(stores)}`);
    else if (kind === "good") appliedMs.push(monotonicMs() - askedAt);
    if (kind === "good") running = request.asked.version;
    if (times <= 50 || version % 50 === 0) options.onProgress(`${version} of ${times} reloads`);
  }
  return { reloads, kills, published, good, appliedMs, faults, lastMoment };
}

/** As `earshot reload` does. Files with a fault are asked for all the same: every process has to refuse them. */
async function ask(
  file: string,
  env: NodeJS.ProcessEnv,
  stores: Stores,
): Promise<{ readonly asked: ReloadRequest; readonly isValid: boolean }> {
  try {
    const { digest } = await loadFiles(file, env, { triesTemplates: true });
    return { asked: await requestReload(stores, digest), isValid: true };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { asked: await stores.processes.request(randomUUID(), "a version with faults"), isValid: false };
  }
}

function isAsDue(one: RunningProcess, request: ReloadRequest, kind: Kind, running: string | null): boolean {
  if (kind === "good") return answerOf(one, request) === "took-up";
  const { answered, refused, version } = one;
  return answered === request.id && refused !== null && refused.faults.length > 0 && version === running;
}

/** The killed stay in the list for some seconds. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function summary(stores: Stores): Promise<string> {
  const processes = await stores.processes.running();
  return JSON.stringify(processes.map(({ roles, version, refused }) => ({ roles, version, refused })));
}

function figuresOf(all: readonly number[]): ReloadsReport["appliedMs"] {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return { median: at(0.5), p95: at(0.95), most: at(1) };
}
