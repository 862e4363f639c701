import { sql } from "kysely";
import { expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import { pollTogether } from "../../../src/monitor/polling/poll-queries.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { createMemoryKnowledge, NOON, negative, useWalks } from "./use-polls.ts";

// More than 200 queries in one call make an address that some servers refuse, and others hang up on.

const IDS = Array.from({ length: 201 }, (_, nth) => String(nth + 1));
const { clock, db, stores, parts, due } = useWalks(IDS);

function open(answer: (queryIds: readonly string[]) => readonly SourcePage[] | Error) {
  const quirkLog = createMemoryKnowledge(() => clock.now());
  async function* pagesOf(queryIds: readonly string[]): AsyncGenerator<SourcePage> {
    const answered = answer(queryIds);
    if (answered instanceof Error) throw answered;
    yield* answered;
  }
  const together = {
    ...parts({
      fetchPages: (queries) => pagesOf(queries.map(({ queryId }) => queryId)),
      quirkLog,
    }),
    pollAlone: stores().polls.pollAlone,
  };
  const poll = async (ids: readonly string[]) => {
    await due();
    const keys = ids.map((queryId) => ({ projectId: "p", queryId, poll: "added" as const }));
    const { members } = await pollTogether(together, keys, new AbortController().signal, true);
    return [...new Set(members.map(({ result }) => result.outcome))];
  };
  return { poll, addresses: async () => (await quirkLog.quirks()).get("addresses")?.value };
}

const everything = (queryIds: readonly string[]): SourcePage[] => [
  {
    mentions: queryIds.map((queryId) => negative(`m${queryId}`, NOON - MINUTE, queryId)),
    ...{ rejected: [], nextCursor: null, total: queryIds.length, pageSize: 5_000 },
  },
];

async function walkedAlone(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from earshot.polls where own_call`.execute(db());
  return rows[0]?.n ?? 0;
}

test.each([
  ["refuses with 414", { kind: "rejected", status: 414, retryable: false }],
  ["refuses with 431", { kind: "rejected", status: 431, retryable: false }],
  ["hangs up", { kind: "network" }],
] as const)(
  "of a server that %s long addresses are known to be refused: nobody is at fault, and short ones go on",
  async (_how, problem) => {
    const { poll, addresses } = open((ids) =>
      ids.length > 200 ? sourceFailure("too long", problem) : everything(ids),
    );
    expect(await poll(IDS)).toEqual(["BrokenOff"]);
    expect(await addresses()).toBe("short");
    expect(await walkedAlone()).toBe(0);
    expect(await poll(IDS.slice(0, 4))).toEqual(["Complete"]);
    expect(await walkedAlone()).toBe(0);
  },
);

test("a failure for a while says nothing about addresses", async () => {
  const { poll, addresses } = open(() => sourceFailure("busy", { status: 503 }));
  expect(await poll(IDS)).toEqual(["BrokenOff"]);
  expect(await addresses()).toBeUndefined();
});

test("a long address that was answered is known as well", async () => {
  const { poll, addresses } = open(everything);
  expect(await poll(IDS)).toEqual(["Complete"]);
  expect(await addresses()).toBe("long");
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from earshot.mentions`.execute(db());
  expect(rows[0]?.n).toBe(201);
});
