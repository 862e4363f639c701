import type { Instant } from "../../lib/instant.ts";
import { editMentions } from "../edit/edit-mention.ts";
import type { MentionChanges } from "../edit/mention-changes.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import { searchableMention } from "../query-language/search-text.ts";
import type { CurrentMention, MentionKey } from "../store/current-mentions.ts";
import type { Database } from "../store/database.ts";
import {
  meetingConditions,
  nextKeys,
  queriesHoldingMentions,
  type ReadyRule,
} from "../store/label-candidates.ts";
import { findProjectById } from "../store/projects.ts";
import { listRules } from "../store/rules.ts";
import { beginWriting, presentMoment } from "../store/write-order.ts";
import { type Label, labelScope, listRuledLabels, readRule } from "./label-rules.ts";
import { changesOfRule, labelsOf, type Project, readRules } from "./project-rules.ts";

/** What is done with stored mentions that meet a rule. */
interface StoredEdit {
  readonly rule: ReadyRule;
  changesOf(mention: CurrentMention): MentionChanges;
}

interface BackfillDone {
  /** Mentions that meet the rule. */
  readonly found: number;
  /** Those of them that it changed. */
  readonly changed: number;
}

/** Mentions looked at before other writers of the project have their turn. */
const AT_A_TIME = 1_000;

/**
 * Changes stored mentions that meet a rule, each in its query once. Mentions are looked at without a lock, some at a
 * time; those that meet the rule are judged again in a transaction of their own, in which they are changed. `read` is
 * asked before each of them: undefined ends it, as a rule may be changed or deleted meanwhile.
 */
async function editStored(
  db: Database,
  project: Project,
  now: () => Instant,
  read: (db: Database) => Promise<StoredEdit | undefined>,
  earliest?: Instant,
): Promise<BackfillDone> {
  const newer: readonly MentionCondition[] =
    earliest === undefined ? [] : [{ kind: "after", field: "date", at: earliest - 1 }];
  let [found, changed] = [0, 0];
  for (const { id: queryId, isHidden } of await queriesHoldingMentions(db, project.id)) {
    for (let after = ""; ; ) {
      const edit = await read(db);
      if (edit === undefined) return { found, changed };
      if (edit.rule.queryIds?.includes(queryId) === false) break;
      const present = presentMoment(now(), (await findProjectById(db, project.id)).writtenAt);
      const keys = await nextKeys(db, { queryId, after, at: present }, AT_A_TIME);
      if ((await meeting(db, keys, edit.rule, newer, present)).length > 0) {
        const done = await db.transaction().execute(async (own) => {
          const at = await beginWriting(own, [project.id], now);
          const current = await read(own);
          if (current === undefined || current.rule.queryIds?.includes(queryId) === false) return undefined;
          const wanted = await meeting(own, keys, current.rule, newer, at);
          const edited = await editMentions(own, wanted, (mention) => [current.changesOf(mention)], at);
          return { found: edited.length, changed: edited.filter(({ isChanged }) => isChanged).length };
        });
        // What feeds found is kept for queries to come; nobody sees it in the hidden query.
        found += isHidden ? 0 : (done?.found ?? 0);
        changed += isHidden ? 0 : (done?.changed ?? 0);
      }
      after = keys.at(-1)?.resourceId ?? "";
      if (keys.length < AT_A_TIME) break;
    }
  }
  return { found, changed };
}

async function meeting(
  db: Database,
  keys: readonly MentionKey[],
  { conditions, search }: ReadyRule,
  newer: readonly MentionCondition[],
  at: Instant,
): Promise<readonly MentionKey[]> {
  if (keys.length === 0) return [];
  const candidates = await meetingConditions(db, keys, [...conditions, ...newer], at);
  return candidates.filter(
    ({ record, fullText }) => search?.matches(searchableMention(record, fullText)) ?? true,
  );
}

/** The rule, as it is now, over what is stored. */
export function backfillRule(
  db: Database,
  project: Project,
  ruleId: number,
  { now, earliest }: { readonly now: () => Instant; readonly earliest?: Instant | undefined },
): Promise<BackfillDone> {
  const read = async (within: Database): Promise<StoredEdit | undefined> => {
    const [rule] = await listRules(within, project.id, ruleId);
    if (rule === undefined) return undefined;
    const [ready] = await readRules(within, project, [rule]);
    const labels = await labelsOf(within, project.id);
    return ready && { rule: ready, changesOf: (mention) => changesOfRule(rule.action, labels, mention) };
  };
  return editStored(db, project, now, read, earliest);
}

/** The rules of a tag, or of the subcategories of a category, over what is stored. */
export async function backfillLabels(
  db: Database,
  project: Project,
  which: { readonly kind: "tag" | "category"; readonly id: number },
  { now, earliest }: { readonly now: () => Instant; readonly earliest?: Instant | undefined },
): Promise<BackfillDone> {
  const isMeant = (label: Label) =>
    label.kind === "tag"
      ? which.kind === "tag" && label.id === which.id
      : which.kind === "category" && [label.detail.id, label.detail.parentId].includes(String(which.id));
  const ruled = async (within: Database) =>
    (await listRuledLabels(within, project.id))
      .filter(isMeant)
      .flatMap((label) => label.rules.map((rule) => ({ label, rule })));
  let [found, changed] = [0, 0];
  for (const place of (await ruled(db)).keys()) {
    const read = async (within: Database): Promise<StoredEdit | undefined> => {
      const one = (await ruled(within))[place];
      if (one === undefined) return undefined;
      const labels = await labelsOf(within, project.id);
      const action =
        one.label.kind === "tag"
          ? { addTag: [one.label.id] }
          : { addCategories: [Number(one.label.detail.id)] };
      return {
        rule: await readRule(one.rule, labelScope(within, project)),
        changesOf: (mention) => changesOfRule(action, labels, mention),
      };
    };
    const done = await editStored(db, project, now, read, earliest);
    found += done.found;
    changed += done.changed;
  }
  return { found, changed };
}
