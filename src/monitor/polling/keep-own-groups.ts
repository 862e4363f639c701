import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describeError } from "../../lib/errors.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { ListedGroup } from "../model/query-group.ts";
import type { SourceClient } from "../source/source-client.ts";
import { SourceError } from "../source/source-error.ts";
import type { Stores } from "../store/stores.ts";
import { type GroupChange, planOwnGroups } from "./planner/own-groups.ts";
import { refusesSharing } from "./poll-call.ts";

type SettingStore = Pick<Stores, "settings">;

/** The mark of this installation in the names of its groups. It is stored before the first group is made. */
interface GroupMark {
  readonly mark: string;
  /** When the account last refused a change; null: never. */
  readonly refusedAt: Instant | null;
  /** Whether a change is on its way, or its answer never came: the list is read before the next one. */
  readonly isSent?: boolean;
}

const KEY = "query groups of ";

/** The marks by project: where there is one, the account may have groups of ours. */
export async function groupMarks({ settings }: SettingStore): Promise<ReadonlyMap<string, GroupMark>> {
  return (await settings.under(KEY)) as ReadonlyMap<string, GroupMark>;
}

/** Whether a group is one that this installation made. Those of another one have another mark. */
export function isOwnGroup({ name }: { readonly name: string }, { mark }: GroupMark): boolean {
  return name.startsWith(PREFIX) && name.endsWith(` (${mark})`);
}

const PREFIX = "Earshot ";

/** What a turn at the groups of a project leaves. */
interface KeptGroups {
  /** The list of the account. */
  readonly listed: readonly ListedGroup[];
  /** Null: there are no groups of ours any more. Absent: it stays as it is stored. */
  readonly mark?: GroupMark | null;
}

/** In the transaction that stores the list: a mark that went before it would leave groups that nobody looks after. */
export async function storeMark(
  { settings }: SettingStore,
  projectId: string,
  { mark }: Pick<KeptGroups, "mark">,
): Promise<void> {
  if (mark === null) await settings.remove(KEY + projectId);
  else if (mark !== undefined) await settings.put(KEY + projectId, mark);
}

/**
 * Makes our groups of a project name exactly the wanted queries; none wanted: removes them. `listed`: the list of the
 * account; `isFresh`: it was read just now. After a change that was not answered it must be: what a kill left behind is
 * found there by its mark. What the budget has no calls for is done another time. Null: another process has removed them
 * meanwhile, and has stored the list.
 */
export async function keepOwnGroups(
  parts: {
    readonly stores: SettingStore;
    readonly source: Pick<SourceClient, "extensions">;
    readonly log: Logger;
    readonly signal: AbortSignal;
  },
  project: {
    readonly projectId: string;
    readonly wanted: readonly string[];
    readonly listed: readonly ListedGroup[];
    readonly isFresh: boolean;
  },
  now: Instant,
): Promise<KeptGroups | null> {
  const { stores, log } = parts;
  const { projectId, wanted } = project;
  const key = KEY + projectId;
  const fresh: GroupMark = { mark: randomUUID().slice(0, 8), refusedAt: null };
  const stored = wanted.length === 0 ? stores.settings.get(key) : stores.settings.getOrPut(key, fresh);
  const known = (await stored) as GroupMark | null;
  if (known === null) return null;
  if (known.refusedAt !== null && now - known.refusedAt < DAY) return { listed: project.listed };
  const list = new Map(project.listed.map((group) => [group.queryGroupId, group]));
  const own = project.listed
    .filter((group) => isOwnGroup(group, known))
    .map(({ queryGroupId, queryIds }) => ({ groupId: queryGroupId, queryIds }));
  const changes = planOwnGroups(wanted, own);
  const isSent = changes.length > 0;
  if (isSent) await stores.settings.put(key, { ...known, isSent });
  const settled: GroupMark = { ...known, isSent: false };
  try {
    for (const change of changes.slice(0, MOST_CHANGES))
      await applyChange(parts, change, { projectId, mark: known.mark, list });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const listed = [...list.values()];
    const found = project.isFresh && refusesSharing(error) ? await readAgain(parts, projectId) : null;
    const outcome = judgeFailure(error, listed, found);
    if (outcome === "NotSent") return { listed, mark: settled };
    log.warn({ projectId, error: describeError(error) }, WORDS[outcome]);
    // Stored again: another process may have removed the mark with the group that this list still has.
    if (outcome === "Unsure") return { listed, mark: { ...known, isSent } };
    return {
      listed: found ?? listed,
      mark: outcome === "Refused" ? { ...settled, refusedAt: now } : settled,
    };
  }
  if (isSent) log.info({ projectId, changes: changes.length }, "query groups of ours were changed");
  const listed = [...list.values()];
  if (wanted.length === 0 && changes.length <= MOST_CHANGES) return { listed, mark: null };
  return isSent ? { listed, mark: settled } : { listed };
}

/** The list behind a refusal; null: it cannot be read now. */
async function readAgain(
  { source, signal }: Parameters<typeof applyChange>[0],
  projectId: string,
): Promise<readonly ListedGroup[] | null> {
  try {
    return await source.extensions.queryGroups(projectId, { signal });
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

/**
 * The budget had no call; the account does not want it; somebody else has changed the groups meanwhile, so that it refused
 * this change alone; or nobody knows. `found`: the list behind a refusal, where it was read.
 */
function judgeFailure(
  error: SourceError,
  expected: readonly ListedGroup[],
  found: readonly ListedGroup[] | null,
): "NotSent" | "Refused" | "Overtaken" | "Unsure" {
  if (error.kind === "over-budget") return "NotSent";
  // A group may have gone since an older list was read.
  if (found === null) return "Unsure";
  return isSameList(expected, found) ? "Refused" : "Overtaken";
}

function isSameList(one: readonly ListedGroup[], other: readonly ListedGroup[]): boolean {
  const lines = (groups: readonly ListedGroup[]) =>
    groups.map(({ queryGroupId, name, queryIds }) =>
      JSON.stringify([queryGroupId, name, queryIds.toSorted()]),
    );
  return isDeepStrictEqual(lines(one).sort(), lines(other).sort());
}

const WORDS = {
  Refused: "the account refuses query groups of ours; trying again in a day",
  Overtaken: "somebody else changed query groups meanwhile; trying again soon",
  Unsure: "query groups of ours could not all be changed; trying again soon",
};

/** In one turn: others wait for calls, too. */
const MOST_CHANGES = 20;

async function applyChange(
  { source, signal }: { readonly source: Pick<SourceClient, "extensions">; readonly signal: AbortSignal },
  change: GroupChange,
  {
    projectId,
    mark,
    list,
  }: { readonly projectId: string; readonly mark: string; readonly list: Map<string, ListedGroup> },
): Promise<void> {
  const { extensions } = source;
  if (change.outcome === "Delete") {
    await extensions.deleteQueryGroup({ projectId, queryGroupId: change.groupId }, { signal });
    list.delete(change.groupId);
    return;
  }
  const { queryIds } = change;
  if (change.outcome === "Create") {
    const name = freeName(mark, [...list.values()]);
    const made = await extensions.createQueryGroup({ projectId, name, queryIds }, { signal });
    list.set(made.queryGroupId, { ...made, name, queryIds });
    return;
  }
  const name = list.get(change.groupId)?.name ?? freeName(mark, [...list.values()]);
  await extensions.updateQueryGroup({ projectId, queryGroupId: change.groupId, name, queryIds }, { signal });
  list.set(change.groupId, { queryGroupId: change.groupId, name, queryIds });
}

function freeName(mark: string, listed: readonly ListedGroup[]): string {
  const names = new Set(listed.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = `${PREFIX}${number} (${mark})`;
    if (!names.has(name)) return name;
  }
}
