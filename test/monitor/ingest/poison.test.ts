import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { PollRequest } from "../../../src/monitor/model/poll-state.ts";
import type { PollParts } from "../../../src/monitor/polling/poll-parts.ts";
import { pollQuery } from "../../../src/monitor/polling/poll-queries.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { negative as aNegative, NOON, RULE, useWalks } from "./use-polls.ts";

const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;
const { db, stores, parts, due } = useWalks();

beforeAll(async () => {
  await sql
    .raw(`
    create table poison (resource_id text primary key);
    create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if exists (select from poison p where p.resource_id = new.resource_id) then
          raise exception 'the row % cannot be', new.resource_id;
        end if;
        return new;
      end $$;
    create trigger refuse_poison before insert on earshot.mentions for each row execute function refuse_poison();
  `)
    .execute(db());
});
beforeEach(async () => {
  await sql`truncate poison`.execute(db());
});

function negative(number: number): Mention {
  return aNegative(`m${number}`, NOON - 60 * MINUTE + number * MINUTE);
}

function poll(
  pages: (request: PollRequest) => AsyncIterable<SourcePage>,
  rules: readonly Rule[] = [RULE],
  more: Partial<PollParts> = {},
) {
  const used = parts({ fetchPages: (_query, request) => pages(request), rulesFor: () => rules, ...more });
  return pollQuery(used, KEY, new AbortController().signal);
}

async function* onePage(mentions: readonly Mention[]): AsyncGenerator<SourcePage> {
  yield { mentions, rejected: [], nextCursor: null, total: mentions.length, pageSize: 5_000 };
}

async function poison(...ids: string[]): Promise<void> {
  for (const id of ids) await sql`insert into poison values (${id})`.execute(db());
}

async function facts() {
  const { rows } = await sql<{ stored: number; counted: number; gap: number }>`
    select (select count(*) from earshot.mentions) as stored, (select coalesce(sum(n), 0) from earshot.counts) as counted,
      (select coalesce(sum(gap), 0) from earshot.coverage) as gap`.execute(db());
  return rows[0];
}

test("only the mentions that cannot be stored become dead letters, and their query goes on", async () => {
  await poison("m3", "m11");
  const mentions = Array.from({ length: 20 }, (_, i) => negative(i));
  expect(await poll(() => onePage(mentions))).toMatchObject({ outcome: "Complete", added: 18 });
  expect(await facts()).toEqual({ stored: 18, counted: 18, gap: 0 });
  const letters = await stores().deadLetters.open(10);
  expect(letters.map(({ resourceId }) => resourceId).sort()).toEqual(["m11", "m3"]);
  expect(letters[0]).toMatchObject({ kind: "mention", queryName: "Query 1", tries: 4, replayable: true });
  expect(letters.find(({ resourceId }) => resourceId === "m3")?.reason).toBe(
    "it could not be stored: the row m3 cannot be",
  );
  await due();
  // It asks for all of them again.
  const settings = () => ({ overlapMs: HOUR, settleMs: 0, lookbackMs: DAY, historyFrom: NOON - DAY });
  expect(await poll(() => onePage(mentions), [RULE], { settings })).toMatchObject({
    outcome: "Complete",
    added: 0,
  });
  expect(await stores().deadLetters.open(10)).toHaveLength(2);
});

test("a dead letter is stored and counted once when it is replayed after the cause is fixed", async () => {
  await poison("m3");
  await poll(() => onePage([negative(1), negative(3)]));
  const [letter] = await stores().deadLetters.open(10);
  expect(await stores().deadLetters.replay([letter?.id.slice(0, 12) ?? ""], NOON)).toBe(1);
  await due();
  await poll(() => onePage([]));
  expect(await stores().deadLetters.open(10)).toMatchObject([
    { resourceId: "m3", tries: 5, replayWanted: false },
  ]);
  await sql`truncate poison`.execute(db());
  await stores().deadLetters.replay("all", NOON);
  await due();
  await poll(() => onePage([]));
  expect(await stores().deadLetters.open(10)).toEqual([]);
  expect(await facts()).toEqual({ stored: 2, counted: 2, gap: 0 });
});

test("a mention that makes a rule throw becomes a dead letter, and the others are evaluated", async () => {
  const fragile: Rule = {
    ...RULE,
    window: {
      ...(RULE as Extract<Rule, { kind: "window" }>).window,
      series: [
        {
          key: "fragile",
          counts: (mention) => {
            if (mention.resourceId === "m2") throw new TypeError("no such thing");
            return true;
          },
        },
      ],
    },
  } as Rule;
  expect(await poll(() => onePage([negative(1), negative(2), negative(3)]), [fragile])).toMatchObject({
    added: 2,
  });
  expect(await stores().deadLetters.open(10)).toMatchObject([
    { resourceId: "m2", reason: "it could not be judged: no such thing" },
  ]);
});

/** A source whose pages break when they hold m20: the bytes that come are no JSON. */
function broken(mentions: readonly Mention[], isBroken: (mention: Mention) => boolean) {
  return async function* (request: PollRequest): AsyncGenerator<SourcePage> {
    const since = request.sinceAdded ?? 0;
    const found = mentions.filter(({ addedAt }) => addedAt > since);
    if (found.some(isBroken)) throw sourceFailure("200 with JSON that is cut off", { kind: "malformed" });
    yield { mentions: found, rejected: [], nextCursor: null, total: found.length, pageSize: 5_000 };
  };
}

test("a page that can never be read is passed over after bounded tries, and can be read later", async () => {
  const mentions = Array.from({ length: 40 }, (_, i) => negative(i));
  await poll(() => onePage(mentions.slice(0, 20)));
  let isMended = false;
  const source = broken(mentions, ({ resourceId }) => !isMended && resourceId === "m20");
  let tries = 0;
  for (; tries < 20 && (await facts())?.stored === 20; tries++) {
    await due();
    await poll(source);
  }
  expect(tries).toBe(6);
  const [letter, ...more] = await stores().deadLetters.open(10);
  expect(more).toEqual([]);
  expect(letter).toMatchObject({
    kind: "page",
    reason: "mentions: 200 with JSON that is cut off",
    tries: 5,
    replayable: true,
  });
  const before = (await facts())?.stored ?? 0;
  expect(before).toBeGreaterThan(35);
  isMended = true;
  await stores().deadLetters.replay("all", NOON);
  await due();
  await poll(source);
  expect(await facts()).toEqual({ stored: 40, counted: 40, gap: 0 });
  expect(await stores().deadLetters.open(10)).toEqual([]);
});

test("if the whole source fails, no page is skipped", async () => {
  const source = broken([negative(50)], () => true);
  for (let tries = 0; tries < 8; tries++) {
    await due();
    await poll(async function* () {
      yield* source({ sinceAdded: 0 } as PollRequest);
    });
  }
  expect(await stores().deadLetters.open(10)).toEqual([]);
  expect(await stores().polls.completeUntil("p", "1")).toBeNull();
});
