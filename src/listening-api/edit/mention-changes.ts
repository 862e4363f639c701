import { z } from "zod";
import { SENTIMENTS } from "../filters/content-filters.ts";
import { withCategoryJudgements } from "../records/category-judgement.ts";
import type { CategoryDetail, MentionRecord } from "../records/mention-record.ts";
import type { CurrentMention } from "../store/current-mentions.ts";

/** Changes to a mention. Absent: stays. */
export interface MentionChanges {
  readonly sentiment?: string;
  readonly status?: string | null;
  readonly priority?: string | null;
  readonly assignment?: string | null;
  readonly checked?: boolean;
  readonly starred?: boolean;
  readonly addCategories: readonly CategoryDetail[];
  /** Parents of which a mention has one subcategory at most: an added one takes the place of the other. */
  readonly exclusiveParents?: ReadonlySet<string>;
  /** Ids of subcategories. */
  readonly removeCategories: readonly number[];
  readonly addTags: readonly { readonly id: number; readonly name: string }[];
  readonly removeTags: readonly { readonly id: number; readonly name: string }[];
  /** Other fields of the record, in wire format. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Values of the fields that people work with, as the live service has them. */
export const EDITABLE = {
  sentiment: SENTIMENTS,
  status: ["open", "pending", "closed"],
  priority: ["high", "medium", "low"],
} as const;

/** Identity and arrival of a mention cannot be changed. */
export const FIXED_FIELDS: readonly string[] = [
  "resourceId",
  "queryId",
  "queryName",
  "added",
  "updated",
  "date",
];

/** The fields of the record after the changes, and the ids of its tags. Pure. */
export function applyChanges(
  current: Pick<CurrentMention, "fields" | "tagIds">,
  changes: MentionChanges,
  now: string,
): { fields: Partial<MentionRecord>; tagIds: readonly number[] } {
  const { sentiment, status, priority, assignment, checked, starred } = changes;
  const given = { sentiment, status, priority, assignment, checked, starred };
  const labels = Labels.parse(current.fields);
  const replacing = new Set(
    changes.addCategories.flatMap(({ parentId }) =>
      changes.exclusiveParents?.has(parentId) === true ? [parentId] : [],
    ),
  );
  const added = changes.addTags;
  const addedIds = new Set(changes.addCategories.map(({ id }) => id));
  const removed = new Set([
    ...changes.removeCategories.map(String),
    ...labels.categoryDetails.flatMap(({ id, parentId }) =>
      replacing.has(parentId) && !addedIds.has(id) ? [id] : [],
    ),
  ]);
  const categoryDetails = distinct(
    [...labels.categoryDetails, ...changes.addCategories].filter(({ id }) => !removed.has(id)),
    ({ id }) => id,
  );
  const goneNames = new Set(changes.removeTags.map(({ name }) => name));
  const goneIds = new Set(changes.removeTags.map(({ id }) => id));
  return {
    fields: {
      ...current.fields,
      ...changes.fields,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      ...(assignment === undefined || assignment === current.fields["assignment"]
        ? {}
        : { lastAssignmentDate: assignment === null ? null : now }),
      categoryDetails,
      categories: distinct(
        [...labels.categories, ...categoryDetails.map(({ id }) => Number(id))].filter(
          (id) => !removed.has(String(id)),
        ),
        String,
      ),
      tags: distinct(
        [...labels.tags.filter((name) => !goneNames.has(name)), ...added.map(({ name }) => name)],
        (name) => name,
      ),
    },
    tagIds: distinct(
      [...current.tagIds.filter((id) => !goneIds.has(id)), ...added.map(({ id }) => id)],
      String,
    ),
  };
}

type Editable = Pick<CurrentMention, "fields" | "tagIds">;

/** The changes of several edits, each of what the ones before it have left. */
export function* changesInTurn(
  mention: Editable,
  edits: readonly ((mention: Editable) => MentionChanges)[],
): Generator<MentionChanges> {
  let current = mention;
  for (const [index, edit] of edits.entries()) {
    const changes = edit(current);
    yield changes;
    if (index < edits.length - 1) current = applyChanges(current, changes, "");
  }
}

/** The changes of a person: with what they said of categories, which rules and what was learned do not overrule. */
export function withJudgements(
  { fields }: Pick<CurrentMention, "fields">,
  changes: MentionChanges,
): MentionChanges {
  if (changes.addCategories.length + changes.removeCategories.length === 0) return changes;
  const before = Labels.parse(fields).categories;
  const after = Labels.parse(applyChanges({ fields, tagIds: [] }, changes, "").fields).categories;
  const judgements = [
    ...after.filter((id) => !before.includes(id)).map((id) => ({ id, isIn: true, by: "people" as const })),
    ...before.filter((id) => !after.includes(id)).map((id) => ({ id, isIn: false, by: "people" as const })),
  ];
  if (judgements.length === 0) return changes;
  return { ...changes, fields: { ...changes.fields, ...withCategoryJudgements(fields, judgements) } };
}

const Labels = z.object({
  tags: z.array(z.string()).catch([]),
  categories: z.array(z.number()).catch([]),
  categoryDetails: z
    .array(z.object({ id: z.string(), name: z.string(), parentId: z.string(), parentName: z.string() }))
    .catch([]),
});

function distinct<Value>(values: readonly Value[], key: (value: Value) => string): Value[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}
