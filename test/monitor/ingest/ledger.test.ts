import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { PollRequest } from "../../../src/monitor/model/poll-state.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import type { PollSettings } from "../../../src/monitor/polling/watermark.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { NOON, negative, useWalks } from "./use-polls.ts";

const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;
const { clock, db, stores, parts, due } = useWalks();

/** A source that keeps to what it is asked, in pages of `size`; `hides` are counted and not sent. */
function sourceOf(
  mentions: () => readonly Mention[],
  size: number,
  hides: () => readonly string[] = () => [],
) {
  const requests: PollRequest[] = [];
  async function* pages(request: PollRequest): AsyncGenerator<SourcePage> {
    requests.push(request);
    const down = request.orderDirection === "desc" ? -1 : 1;
    const found = mentions()
      .filter(({ addedAt }) => addedAt > (request.sinceAdded ?? 0) && addedAt <= clock.now())
      .sort((a, b) => down * (a.addedAt - b.addedAt));
    const sent = found.filter(({ resourceId }) => !hides().includes(resourceId));
    for (let from = Number(request.cursor ?? 0); ; from += size) {
      const isLast = from + size >= sent.length;
      yield {
        mentions: sent.slice(from, from + size),
        rejected: [],
        nextCursor: isLast ? null : String(from + size),
        total: found.length,
        pageSize: size,
      };
      if (isLast) return;
    }
  }
  return { requests, pages };
}

async function poll(
  pages: (request: PollRequest) => AsyncIterable<SourcePage>,
  more: Partial<PollSettings> = {},
) {
  await due();
  const settings = { overlapMs: 5 * MINUTE, settleMs: 0, lookbackMs: DAY, historyFrom: NOON - DAY, ...more };
  const used = parts({ fetchPages: (_query, request) => pages(request), settings: () => settings });
  return pollQuery(used, KEY, new AbortController().signal);
}

async function shown() {
  const polls = await createConsoleStore(db()).coverage(0);
  const added = polls.find(({ poll }) => poll === "added");
  return {
    gap: added?.gap,
    from: added?.gapFrom,
    again: added?.gapNextAt,
    completeUntil: added?.completeUntil,
  };
}

async function storedIds(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select resource_id as id from earshot.mentions order by added_at`.execute(db());
  return rows.map(({ id }) => id);
}

test("mentions that the source counts and does not send are polled again, and shown as missing until found", async () => {
  const all = Array.from({ length: 7 }, (_, nth) => negative(`m${nth}`, NOON - HOUR + nth * MINUTE));
  let hidden = ["m2", "m5"];
  const source = sourceOf(
    () => all,
    3,
    () => hidden,
  );
  await poll(source.pages);
  expect(await shown()).toMatchObject({ gap: 2, from: NOON - DAY, completeUntil: null });
  // At once, twice; then it holds up nothing any more, and is looked for ever less often.
  for (let minute = 1; minute <= 5; minute++) {
    clock.set(NOON + minute * MINUTE);
    await poll(source.pages);
  }
  expect(source.requests.map(({ sinceAdded = 0 }) => sinceAdded <= NOON - DAY)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(await shown()).toMatchObject({
    gap: 2,
    again: NOON + 12 * MINUTE,
    completeUntil: NOON + 5 * MINUTE,
  });
  clock.set(NOON + 13 * MINUTE);
  hidden = [];
  await poll(source.pages);
  expect(source.requests.at(-1)?.sinceAdded).toBe(NOON - DAY);
  expect(await shown()).toMatchObject({ gap: 0, from: null, again: null });
  expect(await storedIds()).toEqual(all.map(({ resourceId }) => resourceId));
});

test("after a day off the missed day is read in order", async () => {
  const all = Array.from({ length: 30 }, (_, nth) => negative(`m${nth}`, NOON + nth * HOUR));
  const source = sourceOf(() => all, 4);
  await poll(source.pages);
  clock.set(NOON + DAY + 5 * HOUR);
  const order: string[] = [];
  const outcome = await poll(async function* (request) {
    for await (const page of source.pages(request)) {
      order.push(...page.mentions.map(({ resourceId }) => resourceId));
      yield page;
    }
  });
  expect(outcome).toMatchObject({ outcome: "Complete", added: 29 });
  expect(order).toEqual(all.map(({ resourceId }) => resourceId));
  expect(await shown()).toMatchObject({ gap: 0, completeUntil: NOON + DAY + 5 * HOUR });
});

test("with catchUp newest-first, an interruption loses nothing, and the query is complete at the end only", async () => {
  const all = Array.from({ length: 30 }, (_, nth) => negative(`m${nth}`, NOON + nth * HOUR));
  const source = sourceOf(() => all, 4);
  const newestFirst = { newestFirstBehindMs: HOUR };
  await poll(source.pages, newestFirst);
  clock.set(NOON + DAY + 5 * HOUR);
  const outcome = await poll(async function* (request) {
    let pages = 0;
    for await (const page of source.pages(request)) {
      if (++pages > 2) throw sourceFailure("cut");
      yield page;
    }
  }, newestFirst);
  expect(outcome.outcome).toBe("BrokenOff");
  expect(await storedIds()).toEqual(["m0", "m22", "m23", "m24", "m25", "m26", "m27", "m28", "m29"]);
  expect((await shown()).completeUntil).toBe(NOON);
  await poll(source.pages, newestFirst);
  expect(source.requests.at(-1)).toMatchObject({ orderDirection: "desc", cursor: "8" });
  expect(await storedIds()).toEqual(all.map(({ resourceId }) => resourceId));
  expect(await stores().polls.completeUntil("p", "1")).toBe(NOON + DAY + 5 * HOUR);
});
