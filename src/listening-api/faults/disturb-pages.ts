import type { Instant } from "../../lib/instant.ts";
import { amountOf } from "../store/fault-kinds.ts";
import type { MentionPages, PageRequest, PageRows } from "../store/mention-page.ts";
import type { MentionRange } from "../store/mention-range.ts";
import type { MentionTotals } from "../store/mention-totals.ts";
import type { CallFaults, FaultSwitch, HappeningFault } from "./fault-switch.ts";

/** Pages that repeat rows, are empty, or do not know yet of mentions that are indexed late. */
export function disturbPages(pages: MentionPages, faults: FaultSwitch): MentionPages {
  return {
    ...pages,
    async read(request) {
      const call = faults.current();
      if (call === null) return pages.read(request);
      if (await call.take("empty-page")) return Object.assign([], { leadsOn: true as const });
      const disturbed = { ...request, range: await lateRange(call, request.range, request.at) };
      const isLater = disturbed.after !== undefined || disturbed.offset > 0;
      const repeat = isLater && disturbed.limit > 1 ? await call.take("duplicates") : undefined;
      return repeat === undefined ? pages.read(disturbed) : repeatRows(pages, disturbed, repeat);
    },
  };
}

/** Totals that do not know of late mentions either. */
export function disturbTotals(totals: MentionTotals, faults: FaultSwitch): MentionTotals {
  return {
    ...totals,
    async read(range, at) {
      const call = faults.current();
      return totals.read(call === null ? range : await lateRange(call, range, at), at);
    },
  };
}

async function lateRange(call: CallFaults, range: MentionRange, at: Instant): Promise<MentionRange> {
  const late = await call.take("late");
  if (late === undefined) return range;
  const condition = { kind: "indexed", at, withinMs: amountOf(late), share: late.probability } as const;
  return { ...range, conditions: [...range.conditions, condition] };
}

/**
 * With a cursor the page is as long as was asked, only that it begins with rows that were shown: the next cursor then
 * follows from its last row, so nothing is skipped. With page numbers the rows shift, as they do on a busy query.
 */
async function repeatRows(
  pages: MentionPages,
  request: PageRequest,
  repeat: HappeningFault,
): Promise<PageRows> {
  const count = Math.min(amountOf(repeat), request.limit - 1);
  if (request.after === undefined)
    return pages.read({ ...request, offset: Math.max(0, request.offset - count) });
  const direction = request.direction === "asc" ? "desc" : "asc";
  const inclusive = request.inclusive !== true;
  const shown = await pages.read({ ...request, direction, inclusive, limit: count });
  const rest = await pages.read({ ...request, limit: request.limit - count });
  return [...shown.toReversed(), ...rest];
}
