import { type Clock, createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import type { Instant } from "../../src/lib/instant.ts";
import {
  type AccountSeed,
  type SeededAccount,
  seedAccount,
} from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi, type LocalApi } from "../../src/listening-api/create-local-api.ts";
import type { LocalApiLog } from "../../src/listening-api/http/local-api-context.ts";
import { type MentionFields, mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { startDatabase, type TestDatabase } from "./database.ts";

/** Tuesday. */
export const T0: Instant = Date.parse("2026-03-03T12:00:00.000Z");

export const SEED: AccountSeed = {
  client: { name: "Acme" },
  user: { username: "ann@acme.example", password: "correct horse", firstName: "Ann", lastName: "Lee" },
  project: { name: "Brands", timezone: "Europe/Berlin" },
  queries: [{ name: "Alpha" }, { name: "Beta", type: "twitter" }],
  categories: [{ name: "Topics", children: ["Price", "Safety"] }],
  at: T0,
};

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer and asserts on what it finds.
  readonly body: any;
}

export interface Fixture {
  readonly database: TestDatabase;
  readonly clock: ManualClock;
  readonly api: LocalApi;
  readonly account: SeededAccount;
  readonly logged: object[];
  readonly token: string;
  /** GET with the token; parameters may repeat. */
  get(path: string, parameters?: readonly (readonly [string, string | number])[]): Promise<Answer>;
  stop(): Promise<void>;
}

/** A running local API over a real database, with one account. Strict by default. */
export async function startFixture(
  seed: AccountSeed = SEED,
  { strict = true, clock }: { strict?: boolean; clock?: Clock } = {},
): Promise<Fixture> {
  const database = await startDatabase();
  const manual = createManualClock(T0);
  const logged: object[] = [];
  const keep = (fields: object, message: string) => logged.push({ ...fields, message });
  const log: LocalApiLog = { info: keep, warn: keep, error: keep };
  const account = await seedAccount(database.pool, seed);
  const api = createLocalApi({
    pool: database.pool,
    clock: clock ?? manual,
    log,
    signingSecret: "for tests",
    strict,
  });
  const token = String((await logIn(api, seed.user)).body.access_token);
  return {
    database,
    clock: manual,
    api,
    account,
    logged,
    token,
    get: (path, parameters = []) => get(api, path, parameters, token),
    stop: async () => {
      await api.close();
      await database.stop();
    },
  };
}

export async function get(
  api: LocalApi,
  path: string,
  parameters: readonly (readonly [string, string | number])[],
  token?: string,
): Promise<Answer> {
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const headers = token === undefined ? {} : { authorization: `bearer ${token}` };
  return answered(await api.app.inject({ method: "GET", url: query ? `${path}?${query}` : path, headers }));
}

export async function logIn(
  api: LocalApi,
  { username, password }: { username: string; password: string },
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const query = new URLSearchParams({
    username,
    grant_type: "api-password",
    client_id: "earshot-api-client",
    ...more,
  });
  return answered(
    await api.app.inject({
      method: "POST",
      url: `/oauth/token?${query}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({ password }).toString(),
    }),
  );
}

function answered(response: { statusCode: number; headers: object; body: string }): Answer {
  return { status: response.statusCode, headers: { ...response.headers }, body: JSON.parse(response.body) };
}

/** One version of a mention, plain by default. */
export function mentionVersion(
  fields: Partial<MentionFields> & { queryId: number; resourceId: string },
  times: { added: Instant } & Partial<
    Pick<MentionVersion, "date" | "updated" | "visibleAt" | "supersededAt" | "version" | "backfilled">
  >,
): MentionVersion {
  const { added } = times;
  const { date = added, updated = added, visibleAt = added, supersededAt = null, version = 1 } = times;
  const record = mentionRecord({
    queryName: "Alpha",
    ...fields,
    added: wireTime(added),
    updated: wireTime(updated),
    date: date === null ? null : wireTime(date),
  });
  const { backfilled = false } = times;
  return { version, record, date, added, updated, visibleAt, supersededAt, backfilled, fullText: null };
}

/** 32 hex digits that sort like the number. */
export function resourceId(number: number): string {
  return number.toString(16).padStart(32, "0");
}
