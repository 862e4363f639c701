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

export interface BackfillDone {
  /** Mentions that meet the rule. */
  readonly found: number;
  /** Those of them that it changed. */
  readonly changed: number;
}

interface BackfillOptions {
  readonly now: () => Instant;
  /** Only mentions from then on. */
  readonly earliest?: Instant | undefined;
  /** Notes what was done so far, in the transaction that did the last of it: true also of a backfill that dies. */
  readonly note?: (db: Database, done: BackfillDone) => Promise<void>;
}

const NOTHING_DONE: BackfillDone = { found: 0, changed: 0 };

/** Mentions looked at before other writers of the project have their turn. */
const AT_A_TIME = 1_000;

/**
 * Changes stored mentions that meet a rule, each in its query once. Mentions are looked at without a lock, some at a
 * time; those that meet the rule are judged again in a transaction of their own, in which they are changed. `read` is
 * asked before each of them: undefined ends it, as a rule may be changed or deleted meanwhile. Gives what was done with
 * that of the rules `before`.
 */
async function editStored(
  db: Database,
  project: Project,
  read: (db: Database) => Promise<StoredEdit | undefined>,
  { now, earliest, note }: BackfillOptions,
  before = NOTHING_DONE,
): Promise<BackfillDone> {
  const newer: readonly MentionCondition[] =
    earliest === undefined ? [] : [{ kind: "after", field: "date", at: earliest - 1 }];
  let done = before;
  for (const { id: queryId, isHidden } of await queriesHoldingMentions(db, project.id)) {
    for (let after = ""; ; ) {
      const edit = await read(db);
      if (edit === undefined) return done;
      if (edit.rule.queryIds?.includes(queryId) === false) break;
      const present = presentMoment(now(), (await findProjectById(db, project.id)).writtenAt);
      const keys = await nextKeys(db, { queryId, after, at: present }, AT_A_TIME);
      if ((await meeting(db, keys, edit.rule, newer, present)).length > 0) {
        done = await db.transaction().execute(async (own) => {
          const at = await beginWriting(own, [project.id], now);
          const current = await read(own);
          if (current === undefined || current.rule.queryIds?.includes(queryId) === false) return done;
          const matches = await meeting(own, keys, current.rule, newer, at);
          const edited = await editMentions(own, matches, (mention) => [current.changesOf(mention)], at);
          // What feeds found is kept for queries to come; nobody sees it in the hidden query.
          if (isHidden) return done;
          const found = done.found + edited.length;
          const changed = done.changed + edited.filter(({ isChanged }) => isChanged).length;
          await note?.(own, { found, changed });
          return { found, changed };
        });
      }
      after = keys.at(-1)?.resourceId ?? "";
      if (keys.length < AT_A_TIME) break;
    }
  }
  return done;
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
  options: BackfillOptions,
): Promise<BackfillDone> {
  const read = async (within: Database): Promise<StoredEdit | undefined> => {
    const [rule] = await listRules(within, project.id, ruleId);
    if (rule === undefined) return undefined;
    const [ready] = await readRules(within, project, [rule]);
    const labels = await labelsOf(within, project.id);
    return ready && { rule: ready, changesOf: (mention) => changesOfRule(rule.action, labels, mention) };
  };
  return editStored(db, project, read, options);
}

/** The rules of a tag, or of the subcategories of a category, over what is stored. */
export async function backfillLabels(
  db: Database,
  project: Project,
  which: { readonly kind: "tag" | "category"; readonly id: number },
  options: BackfillOptions,
): Promise<BackfillDone> {
  const isMeant = (label: Label) =>
    label.kind === "tag"
      ? which.kind === "tag" && label.id === which.id
      : which.kind === "category" && [label.detail.id, label.detail.parentId].includes(String(which.id));
  const ruled = async (within: Database) =>
    (await listRuledLabels(within, project.id))
      .filter(isMeant)
      .flatMap((label) => label.rules.map((rule) => ({ label, rule })));
  let done = NOTHING_DONE;
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
    done = await editStored(db, project, read, options, done);
  }
  return done;
}
