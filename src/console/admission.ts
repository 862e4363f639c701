import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { atMost } from "../lib/concurrency.ts";
import { BusyError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import { type LoopDelay, loopDelay } from "../lib/loop-delay.ts";
import { isPublic } from "./auth/access.ts";
import { barePage } from "./pages/bare-page.ts";
import { problem } from "./pages/problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Answered without waiting for a turn, however busy the process is. */
    isAlwaysAnswered?: boolean;
  }
}

/** `config` of a route that is answered however busy the process is. */
export const ALWAYS_ANSWERED = { isAlwaysAnswered: true } as const;

export interface AdmissionSettings {
  /** The pipeline works on the same loop: no page is made while the loop is late. */
  readonly besidePipeline?: boolean;
  /** Only tests pass another one. */
  readonly delay?: () => LoopDelay;
}

/** Pages that are made at once: while the database answers one, the other is written. */
const AT_ONCE = 2;
/** Pages that wait for their turn. Whoever comes later is refused at once. */
const WAITING = 60;
/**
 * Parts of open pages that wait: all pages ask at the same moment, when something is new. One answer serves them, so a
 * place costs little; whoever is refused would see the news seconds later.
 */
const PARTS_WAITING = 600;
/** A page that takes longer waits for the database or another server, and not for this process: others go on. */
const TURN_MS = 2 * SECOND;
/**
 * Later than this, round for round, the pipeline reads and commits several times slower than alone. One page of mentions
 * blocks the loop for longer, but once: that closes no console.
 */
const LATE_MS = 150;
const LATE_SECONDS = 3;
/** When a reader may try again. */
export const RETRY_AFTER_S = 5;

export const BUSY = {
  headline: "Earshot is too busy for this",
  advice:
    "Mentions are read and alerts are sent meanwhile. Try again in a moment. A search takes less time in one query, or without a text.",
} as const;

/**
 * Bounds the pages that are made at once, so that a probe is answered between two of them and the loop is left to others.
 * The refusal is cheap: it comes before the session and the database, and is always the same. Forms that people send,
 * logins, probes, metrics, streams and what is public are always answered.
 */
export function boundPages(
  app: FastifyInstance,
  settings: AdmissionSettings,
  onRefused: (error: BusyError) => void,
): void {
  const { besidePipeline = false, delay: lately = () => loopDelay(LATE_SECONDS) } = settings;
  const ofPages = atMost(AT_ONCE, WAITING);
  const ofParts = atMost(AT_ONCE, PARTS_WAITING);
  const endings = new WeakMap<FastifyRequest, () => void>();
  const page = barePage(BUSY.headline, problem(BUSY.headline, BUSY.advice)).toString();

  const refuse = (error: BusyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    onRefused(error);
    reply.code(503).header("retry-after", RETRY_AFTER_S);
    const wantsPage = (request.headers.accept ?? "").includes("text/html");
    return wantsPage
      ? reply.type("text/html; charset=utf-8").send(page)
      : reply.send({ error: BUSY.headline });
  };

  app.addHook("onRequest", async (request, reply) => {
    const { method, routeOptions } = request;
    const { isAlwaysAnswered } = routeOptions.config ?? {};
    if ((method !== "GET" && method !== "HEAD") || isPublic(request) || isAlwaysAnswered === true) return;
    if (besidePipeline && lately().meanMs > LATE_MS)
      return refuse(new BusyError("the event loop is late"), request, reply);
    const turns = isPart(request) ? ofParts : ofPages;
    const made = new Promise<void>((resolve) => endings.set(request, resolve));
    // A broken connection is as good as a closed one.
    const gone = once(reply.raw, "close").catch(() => {});
    const turn = new Promise<void>((begin, end) => {
      turns(async () => {
        begin();
        await Promise.race([made, gone, delay(TURN_MS, undefined, { ref: false })]);
      }).catch(end);
    });
    try {
      await turn;
    } catch (error) {
      if (error instanceof BusyError) return refuse(error, request, reply);
      throw error;
    }
    // Nobody waits for it any more.
    if (reply.raw.destroyed) reply.hijack();
  });
  // What is left to do is the network's.
  app.addHook("onSend", async (request) => endings.get(request)?.());
}

/** Whether a part of an open page is asked for, and not a page. */
function isPart({ url }: FastifyRequest): boolean {
  return /[?&]part=/.test(url);
}
