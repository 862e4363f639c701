import type { Config } from "#admin";
import { LISTENING } from "#admin";
import { canonicalUrl, createEnricher, listFeeds } from "#feeds";
import { findProject, findSealedAt, listUndoable, type UndoableDelete, undoDeletes } from "#listening-api";
import { formatTime } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { UserError } from "../../lib/errors.ts";
import { counted } from "../../lib/numbers.ts";
import { timezoneInUse } from "../common/load-rules-in-use.ts";
import { printOutcome, printRows } from "../common/print-rows.ts";
import { withTables } from "../local-api/with-tables.ts";

export interface UndoOptions {
  readonly feed?: string;
  readonly json: boolean;
}

export const UNDO_HELP = `
Some sources do not say what was deleted: Earshot sees that an item is gone, twice, a day apart, and deletes it. For a week
that can be undone. The content is sealed meanwhile: no page, search, count or call shows it, this command neither.
What is undone comes back as a new mention, and is not asked for again. What an author or a site has deleted by a word of
theirs, and what "earshot forget" has removed, cannot be undone.

Examples:
  earshot feeds undo                              lists what can be undone, until when, and why it was deleted
  earshot feeds undo https://blog.example/17      the mention of this address
  earshot feeds undo 0f3a9c                       the mention whose id begins so
  earshot feeds undo --feed "blog.example/feed"   all of this feed, for example after its site had moved

Exit codes: 0 done; 1 failed; 2 nothing like this can be undone.`;

/** `earshot feeds undo`: brings back what was only seen to be gone. */
export async function runUndo(
  typed: string | undefined,
  options: UndoOptions,
  config: Pick<Config, "enrich">,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (typed !== undefined && options.feed !== undefined)
    throw new UserError("name a mention or a feed, not both");
  await withTables(env, async ({ db }) => {
    const project = await findProject(db, LISTENING);
    const { feeds } = await listFeeds(db, project.id);
    const names = new Map(feeds.map(({ key, name }) => [key, name]));
    const undoable = (await listUndoable(db, project.id)).map(({ feedKey, ...one }) => ({
      ...one,
      feed: names.get(feedKey ?? "") ?? null,
    }));
    if (typed === undefined && options.feed === undefined) return list(undoable, options, env);
    const url = typed === undefined ? null : canonicalUrl(typed);
    const ofUrl = url === null ? [] : await findSealedAt(db, project.id, url);
    const meant = undoable.filter(({ id, feed }) =>
      typed === undefined ? feed === options.feed : ofUrl.includes(id) || isBeginning(typed, id),
    );
    if (meant.length === 0)
      throw new UserError(`no delete of ${JSON.stringify(typed ?? options.feed)} can be undone`, [
        "earshot feeds undo lists those that can be",
      ]);
    if (typed !== undefined && ofUrl.length === 0 && meant.length > 1)
      throw new UserError(`${counted(meant.length, "id")} begin with ${typed}; write more of it`);
    const { queue } = await createEnricher(config.enrich);
    const ids = meant.map(({ id }) => id);
    const undone = await undoDeletes(db, project.id, ids, { now: systemClock.now, queue });
    printOutcome(
      { undone },
      `${counted(undone, "mention")} ${undone === 1 ? "is" : "are"} back, and will be judged by the rules as new.`,
      options,
    );
  });
}

async function list(
  undoable: readonly (Omit<UndoableDelete, "feedKey"> & { readonly feed: string | null })[],
  { json }: UndoOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const timezone = await timezoneInUse(env);
  const rows = undoable.map(({ id, feed, reason, deletedAt, until }) => ({
    id: id.slice(0, SHOWN),
    deleted: formatTime(deletedAt, timezone),
    until: formatTime(until, timezone),
    ...{ feed: feed ?? "", why: reason },
  }));
  await printRows(json ? undoable.map((one) => ({ ...one })) : rows, {
    json,
    none: "Nothing that was deleted in the last week can be undone.",
  });
}

/** Of 32 hexadecimal digits. */
const SHOWN = 12;
const SHORTEST_ID = 6;

function isBeginning(typed: string, id: string): boolean {
  return typed.length >= SHORTEST_ID && id.startsWith(typed.toLowerCase());
}
