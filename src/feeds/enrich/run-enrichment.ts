import { setTimeout as delay } from "node:timers/promises";
import {
  createDatabase,
  type DatabasePool,
  type EnrichmentKind,
  type LocalApiLog,
  pruneEnrichment,
} from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { DAY, HOUR, MINUTE } from "../../lib/instant.ts";
import { createChatEndpoint } from "./chat-endpoint.ts";
import type { EnrichConfig } from "./enrich-config.ts";
import { categoryLearner, type ReadJudged, relevanceLearner, sentimentLearner } from "./learners.ts";
import { createLearner } from "./run-learned.ts";
import { type Analyser, type Round, type RoundResult, runRound } from "./run-round.ts";

interface EnrichmentOptions {
  /** Belongs to the caller. The schema has to be migrated. */
  readonly pool: DatabasePool;
  readonly clock: Clock;
  readonly log: LocalApiLog;
  readonly config: EnrichConfig;
  /**
   * Texts of a query that people called not relevant, the newest first. They are read when they are asked about, so that
   * a deleted one is no example any more. Default: none.
   */
  readonly notRelevant?: Round["notRelevant"];
  /** Texts of a query that people judged: what `relevance: learned` learns from. Default: none. */
  readonly judged?: ReadJudged;
}

export interface Enrichment {
  /** Works on everything that is due, and resolves when nothing is. For tests and commands; `start` does it by itself. */
  runDue(): Promise<void>;
  /** From now on does the work whenever there is some. */
  start(): void;
  /** Ends a running call; what it was about is due again. */
  stop(): Promise<void>;
}

const IDLE_MS = 1_000;

/**
 * Asks the configured endpoints, or what was learnt from people, about the mentions that wait, and stores the answers as new versions of the mentions.
 * Any number of processes may do this on the same tables: a job is leased by one of them at a time.
 */
export function createEnrichment(options: EnrichmentOptions): Enrichment {
  const { clock, log } = options;
  const db = createDatabase(options.pool);
  const analysers = openAnalysers(options);
  const workers: readonly Worker[] = [...analysers.map(askWith), ...openLearner(options)];
  const stopping = new AbortController();
  let living = Promise.resolve();

  async function run({ kind, work }: Worker): Promise<RoundResult> {
    const round = { db, clock, log, signal: stopping.signal, notRelevant: options.notRelevant ?? none };
    try {
      return await work(round);
    } catch (error) {
      log.warn({ error: describeError(error), kind }, "the enrichment of mentions failed; trying again");
      return { jobs: 0, pauseMs: MINUTE };
    }
  }

  async function live(worker: Worker): Promise<void> {
    while (!stopping.signal.aborted) {
      const { jobs, pauseMs } = await run(worker);
      if (pauseMs > 0 || jobs === 0) await pause(Math.max(pauseMs, IDLE_MS));
    }
  }

  async function prune(): Promise<void> {
    while (!stopping.signal.aborted) {
      const days = Math.max(1, ...analysers.map(({ config }) => Math.ceil(config.cacheFor / DAY)));
      await pruneEnrichment(db, days).catch((error: unknown) =>
        log.warn({ error: describeError(error) }, "old answers of analysers could not be deleted"),
      );
      await pause(HOUR);
    }
  }

  function pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
  }

  return {
    async runDue() {
      for (const worker of workers) {
        for (;;) {
          const { jobs, pauseMs } = await run(worker);
          if (jobs === 0 || pauseMs > 0) break;
        }
      }
    },
    start() {
      if (workers.length === 0) return;
      living = Promise.all([prune(), ...workers.map(live)]).then(() => {});
    },
    async stop() {
      stopping.abort();
      await living;
      await Promise.all(analysers.map(({ endpoint }) => endpoint.close()));
    },
  };
}

/** Does one round of what waits for one kind of answer. */
interface Worker {
  readonly kind: EnrichmentKind;
  work(round: Round): Promise<RoundResult>;
}

function askWith(analyser: Analyser): Worker {
  return { kind: analyser.kind, work: (round) => runRound(round, analyser) };
}

function openLearner({ config, judged }: EnrichmentOptions): readonly Worker[] {
  return [
    ...(config.relevance === "learned"
      ? [{ kind: "relevance", work: createLearner(relevanceLearner(judged ?? none)) } as const]
      : []),
    ...(config.sentiment === "learned"
      ? [{ kind: "sentiment", work: createLearner(sentimentLearner()) } as const]
      : []),
    ...(config.categories === "learned"
      ? [{ kind: "category", work: createLearner(categoryLearner()) } as const]
      : []),
  ];
}

async function none(): Promise<readonly never[]> {
  return [];
}

function openAnalysers({ config, clock }: EnrichmentOptions): readonly Analyser[] {
  const configured = { sentiment: config.sentiment, relevance: config.relevance };
  return (["sentiment", "relevance"] as const satisfies readonly EnrichmentKind[]).flatMap((kind) => {
    const own = configured[kind];
    if (typeof own !== "object") return [];
    return [{ kind, config: own, endpoint: createChatEndpoint(own, clock), refusedUntil: 0 }];
  });
}
