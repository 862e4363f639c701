import type { MentionRecord } from "./mention-record.ts";

// Who said that a mention is, or is not, in a subcategory: a classification of the Listening API beside `categories`. What
// nobody said is what the rules of the categories give. It is part of the mention, and goes with it.

/** `people`: a person. `learned`: what people said of others. */
export interface CategoryJudgement {
  readonly id: number;
  readonly isIn: boolean;
  readonly by: "people" | "learned";
  /** Of what was learned; as hostile as the text. */
  readonly reason?: string;
  /** From 0 to 1, of what was learned. */
  readonly confidence?: number;
}

type Fields = Readonly<Record<string, unknown>> | MentionRecord;
type Classification = MentionRecord["classifications"][number];

/** What was last said of the subcategory; null: nothing. */
export function categoryJudgement(fields: Fields, id: number): Pick<CategoryJudgement, "isIn" | "by"> | null {
  for (const one of classificationsOf(fields)) {
    const read = partsOf(one);
    if (read?.id === id) return read;
  }
  return null;
}

/** The classifications with these judgements, in place of what was said of the same subcategories; and without `gone`. */
export function withCategoryJudgements(
  fields: Fields,
  judgements: readonly CategoryJudgement[],
  gone: readonly number[] = [],
): Pick<MentionRecord, "classifications"> {
  const replaced = new Set([...gone, ...judgements.map(({ id }) => id)]);
  const others = classificationsOf(fields).filter((one) => {
    const id = partsOf(one)?.id;
    return id === undefined || !replaced.has(id);
  });
  const own = judgements.map(({ id, isIn, by, reason, confidence }) => ({
    classifierId: `category:${by}:${id}`,
    labelId: isIn ? "in" : "out",
    name: `${isIn ? "in" : "not in"} this category, said by ${by === "people" ? "a person" : "people"}${reason === undefined ? "" : `: ${reason}`}`,
    confidence: confidence ?? null,
  }));
  return { classifications: [...others, ...own] };
}

/** All of it: a text that changes does not undo it. */
export function categoryJudgementsOf(fields: Fields): readonly Classification[] {
  return classificationsOf(fields).filter((one) => partsOf(one) !== null);
}

const CLASSIFIER = /^category:(people|learned):(\d{1,15})$/;

function partsOf(one: object): Pick<CategoryJudgement, "id" | "isIn" | "by"> | null {
  const { classifierId, labelId } = one as { classifierId?: unknown; labelId?: unknown };
  const found = typeof classifierId === "string" ? CLASSIFIER.exec(classifierId) : null;
  if (found === null) return null;
  return { id: Number(found[2]), by: found[1] === "people" ? "people" : "learned", isIn: labelId === "in" };
}

function classificationsOf(fields: Fields): readonly object[] {
  const { classifications } = fields as { classifications?: unknown };
  if (!Array.isArray(classifications)) return [];
  return classifications.filter((one): one is object => typeof one === "object" && one !== null);
}
