import type { Instant } from "../../lib/instant.ts";
import { createRecordViews } from "../records/record-view.ts";
import type { Database } from "../store/database.ts";
import { MENTION_ORDERS } from "../store/mention-orders.ts";
import { createMentionPages, type Position } from "../store/mention-page.ts";
import { createMentionRecords } from "../store/mention-records.ts";

interface ExportOptions {
  readonly queryIds: readonly number[];
  /** Of the mention's own date: from (included) to (not included). */
  readonly from: Instant;
  readonly to: Instant;
  /** The moment whose state is written. */
  readonly at: Instant;
}

const PAGE = 1_000;

/** Every shown mention as a line of JSON with its full text, in the order of its date: what an import reads again. */
export async function* exportMentions(
  db: Database,
  options: ExportOptions,
): AsyncGenerator<readonly string[]> {
  const pages = createMentionPages(db);
  const records = createMentionRecords(db);
  const view = createRecordViews().of({ version: "current", text: "full", policy: "full" });
  const order = MENTION_ORDERS.get("date");
  if (order === undefined) throw new Error("there is no order by date");
  const { queryIds, from, to, at } = options;
  const range = { queryIds, from, to, conditions: [] };
  if (queryIds.length === 0) return;
  let after: Position | undefined;
  for (;;) {
    const rows = await pages.read({
      ...{ range, order, at, direction: "asc", limit: PAGE, offset: 0 },
      after,
    });
    for await (const some of records.read(rows, view, { range, order, at })) yield some;
    after = rows.at(-1)?.position;
    if (after === undefined || rows.length < PAGE) return;
  }
}
