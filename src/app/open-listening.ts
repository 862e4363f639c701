import { isDeepStrictEqual } from "node:util";
import { LISTENING, LISTENING_PORT } from "../config/own-source.ts";
import type { Config } from "../config.ts";
import type { PushEndpoint } from "../feeds/common/push-endpoint.ts";
import { startListening } from "../feeds/common/start-listening.ts";
import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import { openPool } from "../store/database.ts";

export interface Listening {
  /**
   * The configuration with the address and the password of our own Listening API, or as it is without `listen`. Throws a
   * UserError if `listen` is not what it was at the start.
   */
  readonly configOf: (config: Config) => Config;
  readonly push: PushEndpoint | null;
  /** How programs on this machine reach the API; null without `listen`. */
  readonly local: {
    readonly url: string;
    readonly login: { readonly username: string; readonly password: string };
  } | null;
  /** For `startEarshot`: what the first fetch brings alerts, what a new query finds in the past does not. */
  readonly watch: { readonly watchFrom?: Instant };
}

/** With `listen`, opens our own Listening API and fetches the feeds. */
export async function withListening(
  config: Config,
  parts: {
    readonly databaseUrl: string;
    /** Whether this process fetches feeds. */
    readonly fetches: boolean;
    readonly clock: Clock;
    readonly log: Logger;
    /** The port that the API tries first. Default: the usual one. */
    readonly port?: number;
  },
  closing: Closing,
): Promise<Listening> {
  const { listen } = config;
  const unchanged = (now: Config): Config => {
    if (isDeepStrictEqual(now.listen, listen)) return now;
    throw new UserError("`listen` was changed, which a reload does not take up", ["restart Earshot"]);
  };
  if (listen === null) return { configOf: unchanged, push: null, local: null, watch: {} };
  const { databaseUrl, fetches, clock, log, port = LISTENING_PORT } = parts;
  const pool = openPool({
    url: databaseUrl,
    connections: 12,
    onError: (error) => log.warn({ error: describeError(error) }, "a database connection of the feeds broke"),
  });
  closing.add(() => pool.end());
  const options = { pool, listen, account: LISTENING, clock, log, fetches, version: VERSION, port };
  const { url, password, push, feeds, watchFrom } = await startListening(options, closing);
  log.info({ url, feeds: feeds.length, fetches }, "the Listening API of the feeds is open");
  const configOf = (now: Config): Config => ({
    ...unchanged(now),
    source: { ...now.source, baseUrl: url, password },
  });
  const local = { url, login: { username: LISTENING.username, password } };
  return { configOf, push, local, watch: { watchFrom } };
}

const VERSION = "0.1";
