import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { DAY, floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import type { LocalApiLog } from "../http/local-api-context.ts";
import { createStream, type Stream } from "../simulate/create-stream.ts";
import type { Crisis } from "../simulate/crisis.ts";
import { BRANDS } from "../simulate/data.ts";
import { listClients } from "../store/account-lists.ts";
import { createDatabase, type DatabasePool } from "../store/database.ts";
import { putTag } from "../store/labels.ts";
import { putQueryGroup } from "../store/query-groups.ts";
import { readSetting, settingOr } from "../store/settings.ts";
import { type SeededAccount, seedAccount } from "./seed-account.ts";

/** An account with invented brands, their past and their present, to try the API with at once. */
export interface SampleWorld {
  readonly username: string;
  /** Guards invented mentions only, so it is kept where the next start can show it again. */
  readonly password: string;
  readonly account: SeededAccount;
  readonly queries: ReadonlyMap<string, number>;
  /** The stream from a moment on. Several of them write each hour once. */
  streamFrom(at: Instant): Stream;
  /** The past begins here. */
  readonly from: Instant;
}

/** The sample begins this long before its first start. */
const PAST_MS = 3 * DAY;
const CRISIS_EVERY_MS = 53 * HOUR;
const SETTING = "sample";
const SEED = "sample";

const Sample = z.object({ password: z.string(), from: z.number() });

/**
 * Makes the sample, or finds the existing one. Null if these tables have accounts but no sample: then it is not needed.
 * Any number of processes may call this at once.
 */
export async function openSampleWorld(
  pool: DatabasePool,
  now: Instant,
  /** Other clients, which are left alone. */
  others: readonly string[] = [],
): Promise<SampleWorld | null> {
  const db = createDatabase(pool);
  const own = (await listClients(db)).filter(({ name }) => !others.includes(name));
  if ((await readSetting(db, SETTING)) === undefined && own.length > 0) return null;
  const { password, from } = Sample.parse(
    await settingOr(db, SETTING, {
      password: randomBytes(9).toString("base64url"),
      from: floorTo(now - PAST_MS, HOUR),
    }),
  );
  const account = await seedAccount(pool, {
    client: { name: "Sample", tags: { "ratelimit.limit": "600", "ratelimit.period": "10" } },
    user: { username: USERNAME, password, firstName: "Sam", lastName: "Sample" },
    project: { name: "Sample brands", description: "Four invented brands and what is said about them" },
    at: from,
  });
  const { projectId, userId } = account;
  const streamFrom = (startAt: Instant): Stream =>
    createStream({ pool, projectId, seed: SEED, startAt, crises: crises(from) });
  const queries = await streamFrom(from).queries();
  await putQueryGroup(db, { projectId, name: "All brands", queryIds: [...queries.values()], userId });
  for (const tag of ["answered", "escalated"]) await putTag(db, projectId, tag);
  return { username: USERNAME, password, account, queries, streamFrom, from };
}

const USERNAME = "sample@earshot.local";

/** One brand after the other has a bad day. */
function crises(from: Instant): Crisis[] {
  return Array.from({ length: 200 }, (_, n) => ({
    at: from + 37 * HOUR + n * CRISIS_EVERY_MS,
    brand: BRANDS[n % BRANDS.length]?.name ?? "",
  }));
}

/** The stream is written this far ahead; the API shows a mention when its moment has come. */
const AHEAD_MS = HOUR;
const FILL_EVERY_MS = 60_000;

/** The sample's mentions of the days before, and those that come as time goes by. */
interface SampleLife {
  /** Writes the missing days, so that mentions dated before now no longer change. Ends early at `signal`. */
  begin(signal: AbortSignal, onHour: (hour: Instant | null) => void): Promise<void>;
  /** From now on writes whatever comes. Gives how to end that. */
  live(): () => Promise<void>;
}

export function createSampleLife(sample: SampleWorld, clock: Clock, log: LocalApiLog): SampleLife {
  // A sample that is started again after months does not fill all of them first.
  const beginAt = Math.max(sample.from, clock.now() - PAST_MS);
  const stream = sample.streamFrom(beginAt);

  async function goOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(FILL_EVERY_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await stream.fillUntil(clock.now() + AHEAD_MS).catch(warn);
    }
  }

  function warn(error: unknown): void {
    log.warn({ error: describeError(error) }, "the sample could not live on");
  }

  return {
    async begin(signal, onHour) {
      const end = clock.now() + AHEAD_MS;
      // In steps, so that Ctrl-C need not wait for all of it; what is written is kept.
      for (let to = beginAt + 2 * HOUR; !signal.aborted; to += 2 * HOUR) {
        await stream.fillUntil(Math.min(to, end), onHour);
        if (to >= end) break;
      }
      onHour(null);
    },
    live() {
      const stopping = new AbortController();
      const living = goOn(stopping.signal);
      return async () => {
        stopping.abort();
        await living;
      };
    },
  };
}
