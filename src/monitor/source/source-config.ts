import { z } from "zod";
import { durationBetween } from "../../lib/duration.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { type SourceName, sourceOfProject } from "../model/query.ts";

/** The source: one account of a Listening API, and its watched queries. */
export const SourceConfig = z
  .strictObject({
    baseUrl: HttpAddress.describe("Address of the Listening API. Example: https://listening.example"),
    username: z.string().min(1).describe("Login of the account that reads the mentions."),
    password: z.string().min(1).meta({ description: "Password of the account.", writeOnly: true }),
    clientId: z.string().min(1).describe("Public client identifier of the API, from its vendor."),
    platformClientId: z
      .string()
      .min(1)
      .exactOptional()
      .describe(
        "Id of the client whose mentions are read. Only for a login that belongs to several clients.",
      ),
    projects: z
      .array(z.string().min(1))
      .min(1)
      .default(["*"])
      .describe('Names or ids of the watched projects; * matches any characters. Example: ["Brands"]'),
    queries: z
      .array(z.string().min(1))
      .min(1)
      .default(["*"])
      .describe(
        'Names or ids of the watched queries; * matches any characters. Example: ["Acme*", "2000001"]',
      ),
    pollEvery: durationBetween(100, DAY)
      .prefault("30s")
      .describe(
        "How often to ask for new mentions. With a rate limit, Earshot plans the polls and spends calls where they help most.",
      ),
    updatesEvery: durationBetween(100, 7 * DAY)
      .prefault("5m")
      .describe("How often to ask for mentions that changed, for example got another sentiment."),
    overlap: durationBetween(0, DAY)
      .prefault("5m")
      .describe(
        "How far behind its watermark a poll starts, because the source indexes some mentions late. Not longer than lookback.",
      ),
    settle: durationBetween(0, DAY)
      .prefault("0s")
      .describe(
        "How long counts wait for late mentions before they are judged. 1m to 5m suits a slow source.",
      ),
    lookback: durationBetween(MINUTE, 3_650 * DAY)
      .prefault("30d")
      .describe("How old a new mention may be, by its own date."),
    history: durationBetween(0, 400 * DAY)
      .prefault("14d")
      .describe(
        "How far back a new query is read, to learn what is usual. Mentions of that time open no alert.",
      ),
    pageSize: z.int().min(1).max(5_000).default(5_000).describe("Mentions in one page, 1 to 5000."),
    writeCorrections: z
      .boolean()
      .default(false)
      .describe(
        "Writes sentiments and categories that people correct on the console back to the account. Needs a login that may edit mentions.",
      ),
    timeout: durationBetween(100, HOUR).prefault("60s").describe("How long one call may take."),
    mayCreateGroups: z
      .boolean()
      .default(false)
      .describe(
        "Whether Earshot keeps query groups of its own in the account, where one address has no room for all queries of a project. It removes them when this is false again.",
      ),
  })
  .refine(({ overlap, lookback }) => overlap <= lookback, {
    path: ["overlap"],
    error: "overlap is longer than lookback: a poll would start before the oldest mention that is read",
  });
export type SourceConfig = z.output<typeof SourceConfig>;

/** A source that Earshot polls. */
export interface Source extends SourceConfig {
  readonly name: SourceName;
  /** From when on its new queries alert; absent: from when they are found. */
  readonly watchFrom?: Instant;
}

/** At least one: the account first, if there is one. */
export type Sources = readonly [Source, ...Source[]];

/** The source of a project; undefined if it is not configured any more. */
export function sourceOf(sources: readonly Source[], projectId: string): Source | undefined {
  const name = sourceOfProject(projectId);
  return sources.find((source) => source.name === name);
}
