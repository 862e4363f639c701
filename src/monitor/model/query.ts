import type { Instant } from "../../lib/instant.ts";
import { ALL_PROJECTS } from "./digest.ts";

/** A saved search at the source, inside a project. Ids are text: the source may use more than 53 bits. */
export interface Query {
  readonly projectId: string;
  readonly queryId: string;
  readonly name: string;
  readonly projectName: string;
  /** IANA zone of the project; UTC if the source names none. */
  readonly timezone: string;
}

/** Where queries come from: the account at `source`, or our own Listening API, which the feeds of `listen` fill. */
export type SourceName = "account" | "feeds";

/**
 * Stands before the ids of projects and queries of our own Listening API, in our tables and only there: an account may
 * have equal ids.
 */
export const FEEDS_PREFIX = "feeds-";

/** The source of a project, and so of its queries. */
export function sourceOfProject(projectId: string): SourceName {
  return projectId.startsWith(FEEDS_PREFIX) ? "feeds" : "account";
}

/** Names of queries in one list: one of the feeds says so if the account has another of the same name. */
export function namesInList(
  queries: readonly { readonly projectId: string; readonly queryName: string }[],
): (query: { readonly projectId: string; readonly queryName: string }) => string {
  const isOfFeeds = ({ projectId }: { readonly projectId: string }) => sourceOfProject(projectId) === "feeds";
  const others = new Set(queries.filter((query) => !isOfFeeds(query)).map(({ queryName }) => queryName));
  return (query) =>
    isOfFeeds(query) && others.has(query.queryName) ? `${query.queryName} (feeds)` : query.queryName;
}

/** A query that is being monitored. */
export interface WatchedQuery extends Query {
  /** Mentions that entered before this moment teach baselines and never alert. */
  readonly watchFrom: Instant;
  /** Its windows are closed up to here, in arrival time. */
  readonly tickedUntil: Instant;
  /** False: the source or the configuration no longer has it. */
  readonly isWatched: boolean;
}

/** The query of alerts about Earshot itself. No source has it, and it is never polled. */
export const OWN_QUERY: Query = {
  projectId: ALL_PROJECTS,
  queryId: "earshot:itself",
  name: "Earshot",
  projectName: "Earshot itself",
  timezone: "UTC",
};
