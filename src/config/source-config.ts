import { z } from "zod";
import { durationBetween } from "../lib/duration.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../lib/instant.ts";

/** The source: one account of a Listening API, and its watched queries. */
export const SourceConfig = z
  .strictObject({
    baseUrl: z.url({ protocol: /^https?$/, error: "expected an http or https address" }),
    username: z.string().min(1),
    password: z.string().min(1),
    /** The public client identifier of the API. */
    clientId: z.string().min(1),
    /** For a login with several clients. */
    platformClientId: z.string().min(1).exactOptional(),
    /** Names or ids of projects and queries; `*` matches any characters. */
    projects: z.array(z.string().min(1)).min(1).default(["*"]),
    queries: z.array(z.string().min(1)).min(1).default(["*"]),
    /** How often to poll for new mentions. With a rate limit, the planner decides whether a poll is worth its call. */
    pollEvery: durationBetween(100, DAY).default(30 * SECOND),
    /** How often to poll for changed mentions. */
    updatesEvery: durationBetween(100, 7 * DAY).default(5 * MINUTE),
    /** How far behind the newest mention a poll starts, because the source indexes asynchronously. */
    overlap: durationBetween(0, DAY).default(5 * MINUTE),
    /** The least time between a bucket's end and its verdict, for the same reason. */
    settle: durationBetween(0, DAY).default(0),
    /** How old a mention's own date may be. */
    lookback: durationBetween(MINUTE, 3_650 * DAY).default(30 * DAY),
    /** How far back a new query is read, for its baselines. Mentions of that time never alert. */
    history: durationBetween(0, 400 * DAY).default(14 * DAY),
    pageSize: z.int().min(1).max(5_000).default(5_000),
    timeout: durationBetween(100, HOUR).default(60 * SECOND),
  })
  .refine(({ overlap, lookback }) => overlap <= lookback, {
    path: ["overlap"],
    error: "overlap is longer than lookback: a poll would start before the oldest mention that is read",
  });
export type SourceConfig = z.output<typeof SourceConfig>;
