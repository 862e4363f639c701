import { expect, test } from "vitest";
import { DAY, MINUTE } from "../../../src/lib/instant.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import { NEW_POLL, type PollRequest } from "../../../src/monitor/model/poll-state.ts";
import type { ObservedQuirk } from "../../../src/monitor/model/server-quirk.ts";
import { nextPage } from "../../../src/monitor/polling/next-page.ts";
import { openCall } from "../../../src/monitor/polling/poll-call.ts";
import { nextCall } from "../../../src/monitor/polling/watermark.ts";
import { aMention } from "../../mention.ts";
import { sourceOfPages } from "./source-of-pages.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

/** Three mentions on a page for ten, and behind them one that was added before it was sent. */
const pagesOf = (total: number | null): SourcePage[] => [
  aPage(["a", "b", "c"], total, "behind"),
  aPage(["late"], total === null ? null : total + 1, null),
];

test.each([
  ["a server that counted no more then has shown it late", 3, false],
  ["a server that counts nothing has fewer on a page than it was asked for", null, true],
  ["a server that counted more has so, too", 4, true],
])("what comes behind a short page: %s", async (_what, total, isKnownToGoOn) => {
  const found = await findingsOn(pagesOf(total));
  expect(found.some(({ quirk }) => quirk === "short-pages")).toBe(isKnownToGoOn);
});

async function findingsOn(pages: readonly SourcePage[]): Promise<readonly ObservedQuirk[]> {
  const found: ObservedQuirk[] = [];
  const source = sourceOfPages(
    async function* () {
      yield* pages;
    },
    {
      quirkLog: {
        quirks: async () => new Map(),
        note: async (findings) => {
          found.push(...findings);
        },
      },
      pageSize: 10,
      now: () => NOW,
    },
  );
  const call = openCall([], firstRequest(), AbortSignal.timeout(5_000));
  let rows = 0;
  while (!call.seen.isOver) {
    const next = await nextPage(source, call);
    if (next.outcome === "Page") rows += next.page.mentions.length;
  }
  expect(rows).toBe(4);
  return found;
}

function firstRequest(): PollRequest {
  const settings = {
    overlapMs: 5 * MINUTE,
    settleMs: MINUTE,
    lookbackMs: 30 * DAY,
    historyFrom: NOW - DAY,
  };
  const next = nextCall("added", NEW_POLL, settings, NOW);
  if (next.outcome !== "Begins") throw new Error(`the first poll ${next.outcome}`);
  return next.request;
}

function aPage(ids: readonly string[], total: number | null, nextCursor: string | null): SourcePage {
  const mentions = ids.map((resourceId) => aMention({ resourceId, addedAt: NOW - MINUTE }));
  return { mentions, rejected: [], nextCursor, total, pageSize: null };
}
