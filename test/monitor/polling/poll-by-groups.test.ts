import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { type Instant, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { pollTogether, type TogetherParts } from "../../../src/monitor/polling/poll-queries.ts";
import type { MentionsParams } from "../../../src/monitor/source/mention-params.ts";
import { SourceError } from "../../../src/monitor/source/source-error.ts";
import { sourceFailure } from "../../fakes/source-failure.ts";
import { runs } from "../../runs.ts";
import { createMemoryKnowledge, NOON, negative, useWalks } from "../ingest/use-polls.ts";
import { sourceOfPages } from "./source-of-pages.ts";

const IDS = ["1", "2", "3", "4"];
const { clock, db, stores, parts, due, reset } = useWalks(IDS);

/** A server with groups that change, and what it was asked for. */
function openServer() {
  const groups = new Map<string, Set<string>>();
  const mentions: Mention[] = [];
  const asked: MentionsParams[] = [];
  let answer: "whole" | "without-query" | SourceError = "whole";
  const mentionsPage = async (params: MentionsParams) => {
    asked.push(params);
    const { queryIds = [], queryGroupIds = [], sinceAdded = 0 } = params;
    if (queryGroupIds.length > 0 && answer instanceof SourceError) throw answer;
    if (queryGroupIds.some((id) => !groups.has(id)))
      throw sourceFailure("no such group", { kind: "rejected", status: 400, retryable: false });
    const ids = new Set([...queryIds, ...queryGroupIds.flatMap((id) => [...(groups.get(id) ?? [])])]);
    const found = mentions
      .filter(({ queryId, addedAt }) => ids.has(queryId) && addedAt > sinceAdded && addedAt <= clock.now())
      .sort((a, b) => a.addedAt - b.addedAt);
    const isBlank = queryGroupIds.length > 0 && answer === "without-query";
    const rejected = found.map(({ resourceId }, index) => ({ index, resourceId, reason: "no queryId" }));
    return {
      ...{ mentions: isBlank ? [] : found, rejected: isBlank ? rejected : [] },
      ...{
        nextCursor: null,
        total: found.length,
        pageSize: 5_000,
        budget: null,
        servedAt: null,
        revision: null,
      },
    };
  };
  const client = { mentionsPage };
  const source = {
    ...sourceOfPages(async function* () {}, {
      quirkLog: createMemoryKnowledge(() => clock.now()),
      now: clock.now,
    }),
    clients: { crisis: client, live: client, background: client },
  };
  const together: TogetherParts = {
    ...parts({ source }),
    ...{ pollAlone: stores().polls.pollAlone, everyMs: () => SECOND },
  };
  return {
    asked,
    mentions,
    groups,
    set: (next: typeof answer) => {
      answer = next;
    },
    /** Reads the list of groups now. */
    read: () =>
      stores().transaction(({ queryGroups }) =>
        queryGroups.replace(
          "p",
          [...groups].map(([id, members]) => ({ queryGroupId: id, name: id, queryIds: [...members] })),
          clock.now(),
        ),
      ),
    poll: async (ids: readonly string[] = IDS) => {
      await due();
      const keys = ids.map((queryId) => ({ projectId: "p", queryId, poll: "added" as const }));
      const known = await stores().queryGroups.of("account");
      const usable = known.filter(({ doubtedAt }) => doubtedAt === null).map(({ groupId }) => groupId);
      const { members } = await pollTogether(together, keys, new AbortController().signal, true, usable);
      return members.map(({ result }) => result.outcome);
    },
  };
}

async function stored(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select query_id || ' ' || resource_id as id from earshot.mentions order by 1`.execute(db());
  return rows.map(({ id }) => id);
}

const later = (queryId: string, number: number, at: Instant) => negative(`m${number}`, at, queryId);

test("a group stands for its members: one call, each query complete, rows of strangers left out and counted", async () => {
  const server = openServer();
  server.groups.set("g", new Set(["1", "2", "stranger"]));
  await server.read();
  server.mentions.push(later("1", 1, NOON - 9), later("3", 2, NOON - 8), later("stranger", 3, NOON - 7));
  expect(await server.poll()).toEqual(IDS.map(() => "Complete"));
  expect(server.asked).toHaveLength(1);
  expect(server.asked[0]).toMatchObject({ queryGroupIds: ["g"], queryIds: ["3", "4"] });
  expect(await stored()).toEqual(["1 m1", "3 m2"]);
  expect(await stores().polls.completeUntil("p", "2")).toBe(NOON);
  const { rows } = await sql`select 1 from earshot.dead_letters`.execute(db());
  expect(rows).toEqual([]);
  const [group] = await stores().queryGroups.of("account");
  expect(group?.surplusRate).toBeGreaterThan(0);
});

test.each([
  ["refuses a group", sourceFailure("not found", { kind: "not-found", status: 404, retryable: false })],
  ["cannot send all of it", sourceFailure("too large", { kind: "too-large" })],
  ["does not say whose a mention is", "without-query"],
] as const)(
  "a server that %s is asked for each query at once, and nothing has failed",
  async (_what, answer) => {
    const server = openServer();
    server.groups.set("g", new Set(["1", "2"]));
    await server.read();
    server.mentions.push(later("1", 1, NOON - 9), later("3", 2, NOON - 8));
    server.set(answer);
    expect(await server.poll()).toEqual(IDS.map(() => "Postponed"));
    expect(await stored()).toEqual([]);
    expect(await server.poll()).toEqual(IDS.map(() => "Complete"));
    expect(server.asked.at(-1)).toMatchObject({ queryIds: IDS });
    expect(await stored()).toEqual(["1 m1", "3 m2"]);
    const { rows } = await sql`select 1 from earshot.polls where failures > 0 or own_call`.execute(db());
    expect(rows).toEqual([]);
  },
);

test("a query that left its group, nobody knows when, is read again from where the list before was read", async () => {
  const server = openServer();
  server.groups.set("g", new Set(["1", "2"]));
  await server.read();
  server.groups.set("g", new Set(["2"]));
  clock.advance(MINUTE);
  server.mentions.push(later("1", 1, clock.now() - SECOND));
  clock.advance(20 * MINUTE);
  await server.poll();
  clock.advance(20 * MINUTE);
  server.mentions.push(later("2", 2, clock.now() - SECOND));
  await server.poll();
  // Long behind its watermark by now.
  expect(await stored()).toEqual(["2 m2"]);
  await server.read();
  await server.poll();
  expect(await stored()).toEqual(["1 m1", "2 m2"]);
  const { rows } =
    await sql`select 1 from earshot.polls where reread_from is not null and poll = 'added'`.execute(db());
  expect(rows).toEqual([]);
});

test("whatever happens to groups between polls: after the next list everything is stored, once", async () => {
  const step = fc.oneof(
    fc.record({ what: fc.constantFrom("join", "leave"), group: fc.nat(1), query: fc.nat(3) }),
    fc.record({ what: fc.constant("delete"), group: fc.nat(1), query: fc.constant(0) }),
    fc.record({
      what: fc.constantFrom("mention", "mention", "mention", "poll", "poll", "read"),
      group: fc.nat(),
      query: fc.nat(3),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await reset();
      const server = openServer();
      const left = new Set<string>();
      for (const { what, group, query } of steps) {
        clock.advance(4 * MINUTE);
        const [name, id] = [`g${group}`, IDS[query] as string];
        const members = server.groups.get(name) ?? new Set();
        // Who leaves and is back before the list is read again was missed for a while, which only counts can show.
        if (what === "join" && !left.has(name + id)) server.groups.set(name, members.add(id));
        if (what === "leave" && members.delete(id)) left.add(name + id);
        if (what === "delete" && server.groups.delete(name)) for (const one of members) left.add(name + one);
        if (what === "mention") server.mentions.push(later(id, server.mentions.length, clock.now() - SECOND));
        if (what === "read") {
          await server.read();
          left.clear();
        }
        if (what === "poll") await server.poll();
      }
      await server.read();
      await server.poll();
      // A group that failed and is there was doubted until now; the others are read by themselves.
      await server.poll();
      expect(await stored()).toEqual(server.mentions.map((one) => `${one.queryId} ${one.resourceId}`).sort());
    }),
    { numRuns: runs(20) },
  );
});
