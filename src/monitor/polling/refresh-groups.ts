import type { Clock } from "../../lib/clock.ts";
import { DAY, type Instant, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { repeat } from "../../lib/repeat.ts";
import { sourceOfProject } from "../model/query.ts";
import type { ListedGroup, QueryGroup } from "../model/query-group.ts";
import { SourceError } from "../source/source-error.ts";
import type { Stores } from "../store/stores.ts";
import { groupMarks, isOwnGroup, keepOwnGroups, storeMark } from "./keep-own-groups.ts";
import type { OpenSource } from "./open-source.ts";
import { MOST_IDS } from "./planner/allowance.ts";
import { decideGroupWork, judgeTrial } from "./planner/group-work.ts";
import { planOwnGroups } from "./planner/own-groups.ts";
import { fetchFailure, refusesSharing } from "./poll-call.ts";

interface GroupParts {
  readonly stores: Pick<Stores, "health" | "queryGroups" | "settings" | "transaction">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

type GroupSource = Pick<OpenSource, "background" | "budget" | "config" | "pages">;

/** Looks after the groups of an account until `signal`. */
export function keepGroups(parts: GroupParts, source: GroupSource): Promise<void> {
  return repeat({
    work: () => refreshGroups(parts, source),
    everyMs: async () => 5 * SECOND,
    problem: "the groups of queries are not known; each query is asked for by itself",
    ...{ log: parts.log, signal: parts.signal },
  });
}

/**
 * Reads the groups of queries of an account where its queries do not fit into one address, and tries whether its server
 * answers for groups. Called often; it asks the source seldom. `mostIds`: how many queries an address has room for.
 */
export async function refreshGroups(
  parts: GroupParts,
  source: GroupSource,
  mostIds = MOST_IDS,
): Promise<void> {
  const { stores, clock } = parts;
  const { name } = source.config;
  const [budget, marks] = await Promise.all([source.budget.read(), groupMarks(stores)]);
  // Without a limit every query is asked for when it is due: no call is scarce.
  if (budget.limit === null && marks.size === 0) return;
  const [large, groups, quirks] = await Promise.all([
    stores.queryGroups.largeProjects(name, mostIds),
    stores.queryGroups.of(name),
    source.pages.quirkLog.quirks(),
  ]);
  const now = clock.now();
  /** What our own groups of each project should name, where there are any, or may be. */
  const members = new Map<string, readonly string[]>();
  for (const projectId of marks.keys()) if (sourceOfProject(projectId) === name) members.set(projectId, []);
  if (source.config.mayCreateGroups && budget.limit !== null && budget.sharing === "proven")
    for (const [projectId, queryIds] of large) members.set(projectId, queryIds);
  const unsettled = [...members].filter(([projectId, queryIds]) => {
    const mark = marks.get(projectId);
    if (mark === undefined) return true;
    if (mark.refusedAt !== null && now - mark.refusedAt < DAY) return false;
    const own = groups.filter((group) => group.projectId === projectId && isOwnGroup(group, mark));
    return queryIds.length === 0 || planOwnGroups(queryIds, own).length > 0;
  });
  const projects = [...large.keys()];
  const work = decideGroupWork(
    {
      ...{ budget, projects, groups, quirks },
      unsettled: unsettled.map(([projectId]) => {
        const mark = marks.get(projectId);
        return { projectId, isSure: mark !== undefined && mark.isSent !== true };
      }),
    },
    now,
  );
  if (work.outcome === "Nothing") return;
  if (!(await stores.health.takeTurn(`query groups ${name}`, TURN_MS, now))) return;
  try {
    if (work.outcome === "Read") await readGroups(parts, source, work.projects, members);
    else if (work.outcome === "Change")
      for (const projectId of work.projects) {
        const known = groups.filter((group) => group.projectId === projectId);
        const listed = known.map(({ groupId, ...group }) => ({ ...group, queryGroupId: groupId }));
        const readAt = Math.min(work.readAt, ...known.map((group) => group.readAt));
        const project = { projectId, wanted: members.get(projectId) ?? [], listed, isFresh: false };
        await changeGroups(parts, source, project, readAt);
      }
    else await tryGroups(parts, source, work.groups);
  } catch (error) {
    // Polls have the calls first: it is done another time.
    if (!(error instanceof SourceError) || error.kind !== "over-budget") throw error;
  }
}

/** Of all processes one works on the groups. */
const TURN_MS = 2 * SECOND;

/** Makes our own groups of a project as they should be, and records its list. `wanted` is null where we keep none. */
async function changeGroups(
  { stores, clock, log, signal }: GroupParts,
  { background }: GroupSource,
  project: Omit<Parameters<typeof keepOwnGroups>[1], "wanted"> & {
    readonly wanted: readonly string[] | null;
  },
  readAt: Instant,
): Promise<readonly ListedGroup[]> {
  const { projectId, wanted } = project;
  const parts = { stores, source: background, log, signal };
  const kept =
    wanted === null
      ? { listed: project.listed }
      : await keepOwnGroups(parts, { ...project, wanted }, clock.now());
  if (kept === null) return [];
  await stores.transaction(async (facts) => {
    await facts.queryGroups.replace(projectId, kept.listed, readAt);
    await storeMark(facts, projectId, kept);
  });
  return kept.listed;
}

async function readGroups(
  parts: GroupParts,
  source: GroupSource,
  projects: readonly string[],
  members: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const { clock, log, signal } = parts;
  const { background, pages } = source;
  let found = 0;
  try {
    for (const projectId of projects) {
      const readAt = clock.now();
      const before = await background.extensions.queryGroups(projectId, { signal });
      const project = { projectId, wanted: members.get(projectId) ?? null, listed: before, isFresh: true };
      found += (await changeGroups(parts, source, project, readAt)).length;
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
