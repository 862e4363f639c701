import { createHmac, randomBytes } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";

/** Limits failed logins, so that nobody can guess a password or lock others out. */
export interface Attempts {
  /** Milliseconds until this caller may try this name again; 0 means now. */
  waitMs(request: FastifyRequest, username: string): Promise<number>;
  failed(request: FastifyRequest, username: string): Promise<void>;
}

/** Per address (IPv6: per /64), for all names. */
const PER_ADDRESS = 5;
/** Per name over all addresses, against attackers with many addresses. */
const PER_NAME = 50;
/** Per browser that logged in before, whatever others do at its address or with its name. */
const PER_DEVICE = 5;

/** Needs the cookies to be decrypted already. */
export async function createAttempts(app: FastifyInstance): Promise<Attempts> {
  await app.register(rateLimit, { global: false });
  const names = new WeakMap<FastifyRequest, string>();
  const limit = (max: number, keyGenerator?: (request: FastifyRequest) => string) =>
    app.createRateLimit({ max, timeWindow: MINUTE, ...(keyGenerator && { keyGenerator }) });
  const byAddress = limit(PER_ADDRESS);
  const byName = limit(PER_NAME, (request) => names.get(request) ?? "");
  const byDevice = limit(PER_DEVICE, (request) => request.device.get("id") ?? "");
  const budgetsOf = (request: FastifyRequest) =>
    request.device.get("id") === undefined ? [byAddress, byName] : [byDevice];
  return {
    waitMs: async (request, username) => {
      names.set(request, username);
      const waits = budgetsOf(request).map(async (budget) =>
        waitOf(await budget(request, { increment: false })),
      );
      return Math.max(...(await Promise.all(waits)));
    },
    failed: async (request, username) => {
      names.set(request, username);
      await Promise.all(budgetsOf(request).map((budget) => budget(request)));
    },
  };
}

type Counted = Awaited<ReturnType<ReturnType<FastifyInstance["createRateLimit"]>>>;

function waitOf(counted: Counted): number {
  return counted.isAllowed || counted.remaining > 0 ? 0 : counted.ttl;
}

/**
 * Programs that sent the right login a moment ago, by address and header; wrong logins from the same address do not
 * stop them. It expires, because others at the same address could otherwise go on guessing here.
 */
export interface KnownPrograms {
  /** Whether this login was right from this address within the last minutes. */
  knows(request: FastifyRequest): Promise<boolean>;
  wasRight(request: FastifyRequest): void;
  wasWrong(request: FastifyRequest): Promise<void>;
}

const KNOWN_MS = 5 * MINUTE;
const MOST_KNOWN = 1_000;
const WRONG_BESIDE_KNOWN = 60;

/** Needs the attempts to be counted already. */
export function createKnownPrograms(app: FastifyInstance, wall: Clock): KnownPrograms {
  const key = randomBytes(32);
  const known = new Map<string, Instant>();
  const wrongOnes = app.createRateLimit({ max: WRONG_BESIDE_KNOWN, timeWindow: MINUTE });
  const keyOf = ({ ip, headers }: FastifyRequest) =>
    createHmac("sha256", key).update(`${ip} ${headers.authorization}`).digest("base64url");
  return {
    knows: async (request) => {
      if ((known.get(keyOf(request)) ?? 0) <= wall.now()) return false;
      return waitOf(await wrongOnes(request, { increment: false })) === 0;
    },
    wasRight: (request) => {
      const [oldest] = known.keys();
      if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
      known.set(keyOf(request), wall.now() + KNOWN_MS);
    },
    wasWrong: async (request) => {
      await wrongOnes(request);
    },
  };
}
