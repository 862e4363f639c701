import { expect, test } from "vitest";
import { forget } from "../../src/admin/forget.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { pollQuery } from "../../src/monitor/polling/poll-queries.ts";
import { aMention } from "../mention.ts";
import { NOON, useWalks } from "../monitor/ingest/use-polls.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { staleSince } from "../stale-since.ts";

const { clock, db, stores, parts } = useWalks();
const RULES = [aRule("when: { sentiment: negative }\ngroupBy: author")];
const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;

test("an alert about many mentions of a person is counted once, in however many steps they are forgotten", async () => {
  const mentions = Array.from({ length: 201 }, (_, n) => {
    const at = NOON - n * SECOND;
    const who = { author: "ann", sentiment: "negative" as const };
    return aMention({ resourceId: `m${n}`, publishedAt: at, addedAt: at, updatedAt: at, ...who });
  });
  const fetchPages = async function* () {
    yield { mentions, rejected: [], nextCursor: null, total: mentions.length, pageSize: 5_000 };
  };
  await pollQuery(parts({ fetchPages, rulesFor: () => RULES }), KEY, new AbortController().signal);
  /** How many of the mentions were still stored when the copies of backtests went: one could be made of them. */
  const stored: number[] = [];
  const removeCopies = async () => {
    const asked = { what: "author", value: "ann", source: null } as const;
    stored.push((await stores().forgotten.findMentions(asked, 1_000)).length);
  };
  const forgotten = await forget(
    { stores: stores(), rulesFor: () => RULES, clock, removeCopies, local: null },
    { what: "author", value: "ann", source: null },
    { via: "shell", login: "ops", typed: null },
  );
  expect(forgotten).toMatchObject({ mentions: 201, alerts: 1 });
  expect(stored).toEqual([0]);
});

test("a name leaves the notes on mentions of others, and the counts, before it is done", async () => {
  const [at, actor] = [NOON, { via: "page", login: "ops", typed: null }] as const;
  const mentions = ["ann", "bo"].map((author) =>
    aMention({ resourceId: author, author, publishedAt: at, addedAt: at, updatedAt: at }),
  );
  const fetchPages = async function* () {
    yield { mentions, rejected: [], nextCursor: null, total: 2, pageSize: 5_000 };
  };
  await pollQuery(parts({ fetchPages }), KEY, new AbortController().signal);
  const ofBo = { projectId: "p", queryId: "1", resourceId: "bo" };
  const press = "0199b2c4-7d1a-7000-8000-000000000021";
  await stores().mentionWorkflow.addNote(ofBo, { press, at, actor, text: "Friend of @ann, not of anna" });
  const asked = { what: "author", value: "ann", source: null } as const;
  const own = { stores: stores(), rulesFor: () => [], clock, removeCopies: async () => {}, local: null };
  expect(await forget(own, asked, { via: "shell", login: "ops", typed: null })).toMatchObject({ notes: 1 });
  const { steps } = await stores().mentionWorkflow.story(ofBo);
  expect(steps.map(({ text }) => text)).toEqual(["Friend of [forgotten], not of anna"]);
  expect(await staleSince(db())).toBeNull();
});

test("a name leaves what people wrote about incidents, and the rest of their words stays", async () => {
  const write = async (n: number, text: string, status: string | null = null) => {
    const id = `0199b2c4-7d1a-7000-8000-00000000000${n}`;
    await stores().incidentNotes.add({
      ...{ id, projectId: "p", incidentId: id, at: NOON, kind: "comment", status, text, origin: null },
      actor: { via: "page", login: "ops", typed: null },
    });
    return async () => (await stores().incidentNotes.list("p", id)).map((note) => [note.text, note.status]);
  };
  const named = await write(1, "We wrote to @max.m (b), and MAX.M (b) has answered.", "max.m (b) knows");
  const other = await write(2, "maxxm (b) and xmax.m (b)x are others");
  const asked = { what: "author", value: "@max.m (b)", source: null } as const;
  const parts = { stores: stores(), rulesFor: () => RULES, clock, removeCopies: async () => {}, local: null };
  expect(await forget(parts, asked, { via: "shell", login: "ops", typed: null })).toMatchObject({ notes: 1 });
  expect(await named()).toEqual([
    ["We wrote to [forgotten], and [forgotten] has answered.", "[forgotten] knows"],
  ]);
  expect(await other()).toEqual([["maxxm (b) and xmax.m (b)x are others", null]]);
});

test.each([
  ["a handle", "@Max_M", null, ["xmax_m", "other"]],
  ["a name", "Max Mustermann", null, ["xmax_m", "other"]],
  ["a handle of one site", "max_m", "forum.example", ["max_m", "xmax_m", "other"]],
  ["a handle of a page type", "max_m", "forum", ["xmax_m", "other"]],
])(
  "an author who is forgotten by %s leaves the lists, and the notes of others",
  async (_, value, source, left) => {
    const put = (n: number, author: string, more: { site?: string; name?: string; note?: string } = {}) =>
      stores().authorLists.put({
        ...{ id: `0199b2c4-7d1a-7000-8000-00000000001${n}`, list: "VIP", author, at: NOON },
        ...{ name: null, site: null, note: "", actor: { via: "page", login: "ops", typed: null } },
        ...more,
      });
    for (const { id } of await stores().authorLists.all()) await stores().authorLists.end(id);
    const site = source === "forum.example" ? "social.example" : "forum.example";
    await put(1, "max_m", { name: "Max Mustermann", site });
    await put(2, "Max_M", {
      name: "Max Mustermann",
      site: source === "forum.example" ? "forum.example" : "",
    });
    await put(3, "xmax_m");
    await put(4, "other", { note: `Knows ${value.toUpperCase()} well` });
    const parts = {
      stores: stores(),
      rulesFor: () => RULES,
      clock,
      removeCopies: async () => {},
      local: null,
    };
    const gone = 4 - left.length;
    expect(
      await forget(parts, { what: "author", value, source }, { via: "shell", login: "ops", typed: null }),
    ).toMatchObject({ listed: gone, notes: 1 });
    const all = await stores().authorLists.all();
    expect(all.map(({ author }) => author).sort()).toEqual([...left].sort());
    expect(all.find(({ author }) => author === "other")?.note).toBe("Knows [forgotten] well");
  },
);
