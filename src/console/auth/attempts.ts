import { createHmac, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { createHashQueue } from "../../lib/password-hash.ts";

/**
 * Limits failed logins for each address and each browser, so that nobody can guess a password. While somebody guesses at
 * a name from many addresses, each address has fewer failures, never none: so nobody can lock others out of a name.
 */
interface Attempts {
  /** Milliseconds until this caller may try this name again; 0 means now. */
  waitMs(request: FastifyRequest, username: string): Promise<number>;
  failed(request: FastifyRequest, username: string): Promise<void>;
  /**
   * Runs `work`, a try with its hashing, after others of the same caller: so that many at once are counted one by one.
   * Known browsers wait for known browsers only: strangers who guess without pause keep none of them out. Rejects with
   * a BusyError if too many wait.
   */
  inTurn<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>;
}

/** Per address (IPv6: per /64), for all names. */
const PER_ADDRESS = 5;
/** The same while a name is guessed at. */
const PER_ADDRESS_OF_GUESSED = 2;
/** Failures of a name over all addresses: more of them are guesses of somebody with many addresses. */
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
  const byAddressOfGuessed = limit(PER_ADDRESS_OF_GUESSED);
  const byName = limit(PER_NAME, (request) => names.get(request) ?? "");
  const byDevice = limit(PER_DEVICE, (request) => request.device.get("id") ?? "");
  const isKnown = (request: FastifyRequest) => request.device.get("id") !== undefined;
  const waitFor = async (budget: typeof byName, request: FastifyRequest) =>
    waitOf(await budget(request, { increment: false }));
  const lanes = { known: createLanes(), others: createLanes() };
  return {
    inTurn: (request, work) =>
      isKnown(request) ? lanes.known(request.device.get("id") ?? "", work) : lanes.others(request.ip, work),
    waitMs: async (request, username) => {
      if (isKnown(request)) return waitFor(byDevice, request);
      names.set(request, username);
      const isGuessed = (await waitFor(byName, request)) > 0;
      const waits = [byAddress, ...(isGuessed ? [byAddressOfGuessed] : [])];
      return Math.max(...(await Promise.all(waits.map((budget) => waitFor(budget, request)))));
    },
    failed: async (request, username) => {
      names.set(request, username);
      const counted = isKnown(request) ? [byDevice] : [byAddress, byAddressOfGuessed, byName];
      await Promise.all(counted.map((budget) => budget(request)));
    },
  };
}

/** One try of a caller at a time, and few callers at a time: hashing takes a thread. */
function createLanes() {
  const ofCaller = new Map<string, Promise<unknown>>();
  const all = createHashQueue();
  return async <T>(caller: string, work: () => Promise<T>): Promise<T> => {
    const before = ofCaller.get(caller) ?? Promise.resolve();
    const mine = before.then(() => all(work));
    const ended = mine.catch(() => {});
    ofCaller.set(caller, ended);
    void ended.then(() => {
      if (ofCaller.get(caller) === ended) ofCaller.delete(caller);
    });
    return mine;
  };
}

type RateLimitResult = Awaited<ReturnType<ReturnType<FastifyInstance["createRateLimit"]>>>;

function waitOf(counted: RateLimitResult): number {
  return counted.isAllowed || counted.remaining > 0 ? 0 : counted.ttl;
}

/**
 * Programs that sent the right login before, by address and header; wrong logins from the same address do not stop them,
 * and each use keeps them known. On the connection on which it was right it always is. On another one it is not looked
 * at while its address sends many wrong ones: others there could otherwise guess without a limit.
 */
interface KnownPrograms {
  /** Whether this login was right from this address before, and its user still has that credential. */
  knows(request: FastifyRequest, credential: string): Promise<boolean>;
  wasRight(request: FastifyRequest, credential: string): void;
  wasWrong(request: FastifyRequest, credential: string): Promise<void>;
}

const KNOWN_MS = HOUR;
const MOST_KNOWN = 1_000;
const WRONG_BESIDE_KNOWN = 60;

/** Needs the attempts to be counted already. */
export function createKnownPrograms(app: FastifyInstance, wall: Clock): KnownPrograms {
  const key = randomBytes(32);
  const known = new Map<string, Instant>();
  const onConnection = new WeakMap<Socket, string>();
  const wrongOnes = app.createRateLimit({ max: WRONG_BESIDE_KNOWN, timeWindow: MINUTE });
  const keyOf = ({ ip, headers }: FastifyRequest, credential: string) =>
    createHmac("sha256", key).update(`${ip} ${credential} ${headers.authorization}`).digest("base64url");
  const isKnown = (login: string) => (known.get(login) ?? 0) > wall.now();
  const renew = (request: FastifyRequest, login: string) => {
    // The least used is the first of the map.
    known.delete(login);
    const [oldest] = known.keys();
    if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    known.set(login, wall.now() + KNOWN_MS);
    onConnection.set(request.raw.socket, login);
  };
  return {
    knows: async (request, credential) => {
      const login = keyOf(request, credential);
      if (onConnection.get(request.raw.socket) !== login) {
        if (!isKnown(login)) return false;
        if (waitOf(await wrongOnes(request, { increment: false })) > 0) return false;
      }
      renew(request, login);
      return true;
    },
    wasRight: (request, credential) => renew(request, keyOf(request, credential)),
    wasWrong: async (request, credential) => {
      // A right one that was not looked at is no guess.
      if (!isKnown(keyOf(request, credential))) await wrongOnes(request);
    },
  };
}
