import type { Clock } from "../../lib/clock.ts";
import { DAY, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { QueryGroup } from "../model/query-group.ts";
import { SourceError } from "../source/source-error.ts";
import type { Stores } from "../store/stores.ts";
import type { OpenSource } from "./open-source.ts";
import { MOST_IDS } from "./planner/allowance.ts";
import { decideGroupWork, judgeTrial } from "./planner/group-work.ts";
import { fetchFailure, refusesSharing } from "./poll-call.ts";

interface GroupParts {
  readonly stores: Pick<Stores, "health" | "queryGroups" | "transaction">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

type GroupSource = Pick<OpenSource, "background" | "budget" | "config" | "pages">;

/**
 * Reads the groups of queries of an account where its queries do not fit into one address, and tries whether its server
 * answers for groups. Called often; it asks the source seldom. Returns what it did.
 */
export async function refreshGroups(parts: GroupParts, source: GroupSource): Promise<string> {
  const { stores, clock } = parts;
  const { name } = source.config;
  const budget = await source.budget.read();
  // Without a limit every query is asked for when it is due: no call is scarce.
  if (budget.limit === null) return "NotScarce";
  const [projects, groups, quirks] = await Promise.all([
    stores.queryGroups.largeProjects(name, MOST_IDS),
    stores.queryGroups.of(name),
    source.pages.quirkLog.quirks(),
  ]);
  const now = clock.now();
  const work = decideGroupWork({ budget, projects, groups, quirks }, now);
  if (work.outcome === "Nothing") return work.because;
  if (!(await stores.health.takeTurn(`query groups ${name}`, TURN_MS, now))) return "NotDue";
  if (work.outcome === "Read") await readGroups(parts, source, work.projects);
  else await tryGroups(parts, source, work.groups);
  return work.outcome;
}

/** Of all processes one works on the groups. */
const TURN_MS = 2 * SECOND;

async function readGroups(
  { stores, clock, log, signal }: GroupParts,
  { background, pages }: GroupSource,
  projects: readonly string[],
): Promise<void> {
  let found = 0;
  try {
    for (const projectId of projects) {
      const readAt = clock.now();
      const listed = await background.extensions.queryGroups(projectId, { signal });
      await stores.transaction(({ queryGroups }) => queryGroups.replace(projectId, listed, readAt));
      found += listed.length;
    }
  } catch (error) {
    // The list is not in the specification: a server may not have it.
    if (!(error instanceof SourceError) || !refusesSharing(error)) throw error;
    return pages.quirkLog.note([{ quirk: "groups", value: "refused" }]);
  }
  log.debug({ found }, "the groups of queries were read");
  if (found === 0) await pages.quirkLog.note([{ quirk: "groups", value: "none" }]);
}

async function tryGroups(
  { stores, clock, log, signal }: GroupParts,
  { background, config, pages }: GroupSource,
  groups: readonly QueryGroup[],
): Promise<void> {
  const { quirkLog } = pages;
  const triedAt = clock.now();
  const [projectId, groupIds] = [groups[0]?.projectId ?? "", groups.map(({ groupId }) => groupId)];
  const range = { startDate: triedAt - config.lookback, endDate: triedAt + DAY };
  const order = { orderBy: "added", orderDirection: "desc" } as const;
  const wasAnswered = (await quirkLog.quirks()).get("groups")?.value === "answered";
  const result = await background
    .mentionsPage({ projectId, queryGroupIds: groupIds, ...range, ...order, pageSize: ROWS }, { signal })
    .then(
      (page) => judgeTrial(groups, page),
      (error: unknown) => {
        if (refusesSharing(fetchFailure(error))) return "Refused" as const;
        throw error;
      },
    );
  log.info({ groups: groupIds, result }, "the source was tried with groups of queries");
  const failed = result === "Refused" || result === "WithoutQuery";
  // A doubt that was neither confirmed nor taken away stays as it was, and counts as tried.
  const doubtedAt = result === "Answered" ? null : failed || wasAnswered ? triedAt : null;
  await stores.queryGroups.tried(groups, { triedAt, doubtedAt });
  if (result === "Answered") await quirkLog.note([{ quirk: "groups", value: "answered" }]);
  // One group may fail for a reason of its own; until one was answered, it speaks for the server.
  else if (failed && !wasAnswered)
    await quirkLog.note([{ quirk: "groups", value: result === "Refused" ? "refused" : "without-query" }]);
}

/** Enough mentions that several members of a group are among them. */
const ROWS = 200;
