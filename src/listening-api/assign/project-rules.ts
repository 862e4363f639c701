import { type ChangeScope, changeScope, changesOf } from "../edit/change-set.ts";
import { applyChanges, type MentionChanges } from "../edit/mention-changes.ts";
import { mentionRecord } from "../records/mention-record.ts";
import { wireTime } from "../records/wire.ts";
import type { CurrentMention } from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import { type ReadyRule, rulesMet } from "../store/label-candidates.ts";
import { listCategories, listTags } from "../store/labels.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listRules, type StoredRule } from "../store/rules.ts";
import { labelArriving, labelScope, readRule } from "./label-rules.ts";

/**
 * Rules of a project act on mentions when these enter a query (and on stored ones, see `backfill-rules.ts`). All rules
 * are judged by what the mention says before any of them acts, each once: no rule calls another one, so none can run
 * for ever. They act in the order in which they were made; of two that set the same field the younger one decides.
 */

export interface Project {
  readonly id: number;
  readonly timezone: string;
}

interface ArrivalOptions {
  /**
   * Earlier versions, at the same places. Such a mention is changed only by rules that the earlier one did not meet:
   * so a text that its author corrects does not undo what people did meanwhile.
   */
  readonly before?: readonly (MentionVersion | undefined)[];
  /** Only rules that name this query: the others have acted when the mention entered another one. */
  readonly entering?: number;
}

/** What the rules of labels, and then those of the project, make of mentions that are about to be stored. */
export async function applyRules(
  db: Database,
  project: Project,
  versions: readonly MentionVersion[],
  options: Pick<ArrivalOptions, "before"> = {},
): Promise<readonly MentionVersion[]> {
  return actOnArriving(
    db,
    project,
    await labelArriving(db, project, versions, options.before ?? []),
    options,
  );
}

/** Mentions that a query finds when it looks back have their labels already. */
export function applyRulesOfQuery(
  db: Database,
  project: Project,
  versions: readonly MentionVersion[],
  queryId: number,
): Promise<readonly MentionVersion[]> {
  return actOnArriving(db, project, versions, { entering: queryId });
}

async function actOnArriving(
  db: Database,
  project: Project,
  versions: readonly MentionVersion[],
  { before = [], entering }: ArrivalOptions,
): Promise<readonly MentionVersion[]> {
  if (versions.length === 0) return versions;
  const rules = (await listRules(db, project.id)).filter(
    ({ enabled, queryIds }) => enabled && (entering === undefined || queryIds?.includes(entering) === true),
  );
  if (rules.length === 0) return versions;
  const ready = await readRules(db, project, rules);
  const met = await rulesMet(db, versions, ready);
  if (met.every(({ size }) => size === 0)) return versions;
  const known = before.flatMap((version, place) => (version === undefined ? [] : [{ version, place }]));
  const metBefore = await rulesMet(
    db,
    known.map(({ version }) => version),
    known.length === 0 ? [] : ready,
  );
  const acted = new Map(known.map(({ place }, index) => [place, metBefore[index]]));
  const labels = await labelsOf(db, project.id);
  return versions.map((version, place) =>
    rules
      .filter((_, rule) => met[place]?.has(rule) && !acted.get(place)?.has(rule))
      .reduce((changed, rule) => actedOn(changed, rule, labels), version),
  );
}

export async function readRules(
  db: Database,
  project: Project,
  rules: readonly StoredRule[],
): Promise<readonly ReadyRule[]> {
  const scope = labelScope(db, project);
  const ready: ReadyRule[] = [];
  for (const { filter, queryIds } of rules)
    ready.push({ ...(await readRule({ filter }, scope)), queryIds: queryIds ?? undefined });
  return ready;
}

export async function labelsOf(db: Database, projectId: number): Promise<ChangeScope> {
  return changeScope({
    categories: await listCategories(db, projectId),
    tags: await listTags(db, projectId),
  });
}

function actedOn(version: MentionVersion, { action }: StoredRule, labels: ChangeScope): MentionVersion {
  const { record, updated, tagIds = [] } = version;
  const fields: CurrentMention["fields"] = { ...record };
  const changes = changesOfRule(action, labels, { fields });
  const after = applyChanges({ fields, tagIds }, changes, wireTime(updated));
  return { ...version, record: mentionRecord({ ...record, ...after.fields }), tagIds: after.tagIds };
}

/** As those of an edit, but a rule takes the place of no subcategory that excludes its own. */
export function changesOfRule(
  action: StoredRule["action"],
  labels: ChangeScope,
  mention: Pick<CurrentMention, "fields">,
): MentionChanges {
  const { exclusiveParents = new Set(), ...changes } = changesOf(action, labels, mention);
  const removed = new Set(changes.removeCategories.map(String));
  const details = mention.fields["categoryDetails"];
  const has = (Array.isArray(details) ? details : []) as MentionChanges["addCategories"];
  const taken = new Set(has.filter(({ id }) => !removed.has(id)).map(({ parentId }) => parentId));
  const addCategories = changes.addCategories.filter(({ parentId }) => {
    const isFree = !(exclusiveParents.has(parentId) && taken.has(parentId));
    taken.add(parentId);
    return isFree;
  });
  return { ...changes, addCategories };
}
