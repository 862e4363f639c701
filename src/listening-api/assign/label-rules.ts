import { collect, yieldingLoop } from "../../lib/concurrency.ts";
import type { Instant } from "../../lib/instant.ts";
import { editMentions } from "../edit/edit-mention.ts";
import type { FilterScope } from "../filters/define-filter.ts";
import { FILTERS } from "../filters/filters.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import { createParameterReader } from "../parameters/parameter-reader.ts";
import { compile } from "../query-language/compile.ts";
import { searchableMention } from "../query-language/search-text.ts";
import { categoryJudgement } from "../records/category-judgement.ts";
import type { LabelRule } from "../records/labels.ts";
import type { CategoryDetail, MentionRecord } from "../records/mention-record.ts";
import type { Database } from "../store/database.ts";
import { matchingVersions, mentionsToLabel, type ReadyRule } from "../store/label-candidates.ts";
import { listCategories, listTags } from "../store/labels.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listSharedLists } from "../store/saved-lists.ts";
import { beginWriting, nextMoment } from "../store/write-order.ts";

/** A tag or a subcategory with rules. */
export type Label =
  | { readonly kind: "tag"; readonly id: number; readonly name: string; readonly rules: readonly LabelRule[] }
  | {
      readonly kind: "category";
      readonly detail: CategoryDetail;
      /** A mention has one subcategory of the parent at most. A rule takes the place of none. */
      readonly isExclusive: boolean;
      readonly rules: readonly LabelRule[];
    };

interface LabelScope extends FilterScope {
  readonly projectId: number;
}

/** Of one moment: what several rules ask for is read once. */
export function labelScope(db: Database, project: { id: number; timezone: string }): LabelScope {
  let categories: ReturnType<LabelScope["categories"]> | undefined;
  const lists = new Map<string, ReturnType<LabelScope["savedLists"]>>();
  return {
    projectId: project.id,
    timezone: project.timezone,
    categories() {
      categories ??= listCategories(db, project.id);
      return categories;
    },
    savedLists(kind) {
      const found =
        lists.get(kind) ??
        listSharedLists(db, kind, project.id).then(
          (shared) => new Map(shared.map(({ id, entries }) => [id, entries])),
        );
      lists.set(kind, found);
      return found;
    },
  };
}

const BY_NAME = new Map(FILTERS.map((filter) => [filter.name, filter]));
const NO_FILTERS = ["queryId", "search", "projectId"];

/** Reads the filters of a rule by the names of the mention filters. Reports faults to `fault`, if somebody asks. */
export async function readRule(
  { filter }: LabelRule,
  scope: LabelScope,
  fault?: (message: string) => void,
): Promise<ReadyRule> {
  const given = Object.entries(filter).filter(([, value]) => value !== null);
  const parameters = createParameterReader(Object.fromEntries(given));
  const queryIds = parameters.integers("queryId");
  const search = parameters.text("search");
  // Clients send it; a rule always belongs to its project.
  parameters.texts("projectId");
  const conditions: MentionCondition[] = [];
  // A thousand rules are read for each batch of mentions: of a stored one only the filters that it names, where all of
  // its names are plain. With brackets they stand for others.
  const named = given.flatMap(([name]) => BY_NAME.get(name) ?? (NO_FILTERS.includes(name) ? [] : [null]));
  const isPlain = fault === undefined && !named.includes(null);
  const filters = isPlain ? named.filter((one) => one !== null) : FILTERS;
  for (const one of filters) {
    const condition = await one.read(parameters, scope);
    if (condition !== undefined) conditions.push(condition);
  }
  if (fault !== undefined) for (const message of parameters.faults()) fault(message);
  const compiled = search === undefined ? undefined : compile(search);
  return {
    queryIds: queryIds.length === 0 ? undefined : queryIds,
    conditions,
    search: compiled?.ok ? compiled.query : undefined,
  };
}

/** The labels with rules of a project. Most projects have none. */
export async function listRuledLabels(db: Database, projectId: number): Promise<readonly Label[]> {
  const tags = (await listTags(db, projectId)).map((tag): Label => ({ kind: "tag", ...tag }));
  const categories = (await listCategories(db, projectId)).flatMap((parent) =>
    parent.children.map(({ id, name, rules }): Label => {
      const detail = { id: String(id), name, parentId: String(parent.id), parentName: parent.name };
      return { kind: "category", detail, isExclusive: !parent.multiple, rules };
    }),
  );
  return [...tags, ...categories].filter(({ rules }) => rules.length > 0);
}

/**
 * Adds the labels whose rules they meet to mentions that are about to be stored. `before` has earlier versions, at the same
 * places: a rule that the earlier one met has acted, and a person may have taken the label off since.
 */
export async function labelArriving(
  db: Database,
  project: { id: number; timezone: string },
  versions: readonly MentionVersion[],
  before: readonly (MentionVersion | undefined)[],
): Promise<readonly MentionVersion[]> {
  const labels = versions.length === 0 ? [] : await listRuledLabels(db, project.id);
  const known = before.flatMap((version, place) => (version === undefined ? [] : [{ version, place }]));
  const earlier = known.map(({ version }) => version);
  let labelled = [...versions];
  for (const label of labels) {
    const meets = new Set<number>();
    for (const rule of label.rules) {
      const ready = await readRule(rule, labelScope(db, project));
      const acted = new Set((await matchingVersions(db, earlier, ready)).map((index) => known[index]?.place));
      for (const index of await matchingVersions(db, labelled, ready))
        if (!acted.has(index)) meets.add(index);
    }
    labelled = labelled.map((version, index) => (meets.has(index) ? withLabel(version, label) : version));
  }
  return labelled;
}

function withLabel(version: MentionVersion, label: Label): MentionVersion {
  const { record, tagIds = [] } = version;
  if (label.kind === "tag") {
    if (tagIds.includes(label.id)) return version;
    return {
      ...version,
      record: { ...record, tags: [...record.tags, label.name] },
      tagIds: [...tagIds, label.id],
    };
  }
  const id = Number(label.detail.id);
  if (record.categories.includes(id) || isTaken(label, record) || isRefused(record, id)) return version;
  const categoryDetails = [...record.categoryDetails, label.detail];
  return { ...version, record: { ...record, categories: [...record.categories, id], categoryDetails } };
}

function isTaken(
  { isExclusive, detail }: Label & { kind: "category" },
  { categoryDetails }: Pick<MentionRecord, "categoryDetails">,
): boolean {
  return isExclusive && categoryDetails.some(({ parentId }) => parentId === detail.parentId);
}

/** A person took it out of the category: a rule does not put it in again. */
function isRefused(record: MentionRecord, id: number): boolean {
  const judgement = categoryJudgement(record, id);
  return judgement?.by === "people" && !judgement.isIn;
}

const AT_A_TIME = 500;

/** Adds the label to stored mentions, in the caller's transaction: as an edit, so that `updated` moves. */
export async function labelStored(
  db: Database,
  project: { id: number; timezone: string },
  label: Label,
  at: Instant,
): Promise<void> {
  const none = { addTags: [], removeTags: [], addCategories: [], removeCategories: [], fields: {} };
  const changes =
    label.kind === "tag"
      ? { ...none, addTags: [{ id: label.id, name: label.name }] }
      : { ...none, addCategories: [label.detail] };
  const labelId = label.kind === "tag" ? label.id : Number(label.detail.id);
  if (label.rules.length === 0) return;
  const writtenAt = await beginWriting(db, [project.id], () => at);
  for (const rule of label.rules) {
    const ready = await readRule(rule, labelScope(db, project));
    const which = { projectId: project.id, kind: label.kind, labelId, at: writtenAt, rule: ready };
    for await (const candidates of mentionsToLabel(db, which, AT_A_TIME)) {
      const keys = await yieldingLoop(
        collect(candidates, (candidate) => {
          const { record, fullText } = candidate;
          if (label.kind === "category" && (isTaken(label, record) || isRefused(record, labelId))) return [];
          const meets = ready.search?.matches(searchableMention(record, fullText)) ?? true;
          return meets ? [candidate] : [];
        }),
      );
      if (keys.length === 0) continue;
      await editMentions(db, keys, () => [changes], await nextMoment(db, [project.id], at));
    }
  }
}
