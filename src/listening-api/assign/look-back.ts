import { collect, yieldingLoop } from "../../lib/concurrency.ts";
import type { Instant } from "../../lib/instant.ts";
import { compile } from "../query-language/compile.ts";
import { searchableMention } from "../query-language/search-text.ts";
import { mentionRecord } from "../records/mention-record.ts";
import { wireTime } from "../records/wire.ts";
import type { Database } from "../store/database.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { narrowing, searchPlan } from "../store/mention-words.ts";
import { findProjectById } from "../store/projects.ts";
import type { QuerySettings } from "../store/queries.ts";
import { type ShownMention, shownMentions } from "../store/shown-mentions.ts";
import { lockWriting, nextMoment } from "../store/write-order.ts";
import { isOfQuery } from "./assign-queries.ts";
import { applyRulesOfQuery } from "./project-rules.ts";

/** Mentions read at once. */
const AT_A_TIME = 500;

/**
 * Copies stored mentions of the project's other queries into a query if they match its text, from its start date on.
 * For polling clients they enter now, and they are marked as backfilled. Those that are stored ahead enter in their own
 * time. Returns the number of those that enter now.
 */
export async function lookBack(
  db: Database,
  projectId: number,
  query: QuerySettings & { readonly id: number },
  at: Instant,
): Promise<number> {
  const compiled = query.text === null ? undefined : compile(query.text);
  if (!compiled?.ok) return 0;
  const { matches, positions, expression } = compiled.query;
  const narrow = narrowing(searchPlan(expression));
  // Items that arrive meanwhile are matched against this query, or are found here.
  await lockWriting(db, [projectId]);
  let found = 0;
  let enters = await nextMoment(db, [projectId], at);
  const which = { projectId, butNotIn: query.id, from: query.startDate, at: enters, narrow };
  for await (const mentions of shownMentions(db, which, AT_A_TIME)) {
    const at = enters;
    const matching = await yieldingLoop(
      collect(mentions, (mention) => {
        const searchable = searchableMention(mention.record, mention.fullText);
        if (!isOfQuery(searchable.known, query) || !matches(searchable)) return [];
        return [inQuery(mention, query, { at, matchPositions: positions(searchable) })];
      }),
    );
    if (matching.length === 0) continue;
    const project = await findProjectById(db, projectId);
    const entering = await applyRulesOfQuery(db, project, matching, query.id);
    found += await insertMentions(
      db,
      entering.filter(({ visibleAt }) => visibleAt <= at),
    );
    await insertMentions(
      db,
      entering.filter(({ visibleAt }) => visibleAt > at),
    );
    enters = await nextMoment(db, [projectId], at);
  }
  return found;
}

function inQuery(
  { record, ...mention }: ShownMention,
  { id, name }: { id: number; name: string },
  { at, matchPositions }: { at: Instant; matchPositions: MentionVersion["record"]["matchPositions"] },
): MentionVersion {
  const isComing = mention.visibleAt > at;
  const { added, updated, visibleAt } = isComing ? mention : { added: at, updated: at, visibleAt: at };
  const times = { added: wireTime(added), updated: wireTime(updated) };
  return {
    ...mention,
    version: 1,
    record: mentionRecord({ ...record, ...times, queryId: id, queryName: name, matchPositions }),
    ...{ added, updated, visibleAt },
    supersededAt: null,
    backfilled: !isComing,
  };
}
