import fc from "fast-check";
import { expect, test } from "vitest";
import { bluesky } from "../../src/feeds/kinds/bluesky.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import { createEvents, type JetstreamEvent } from "../fakes/jetstream.ts";

const now = Date.UTC(2026, 10, 23, 12);
const [ann, bob] = ["did:plc:ann", "did:plc:bob"];
const events = () => createEvents(now * 1_000);

function read(...given: readonly (JetstreamEvent | string)[]) {
  const frames = given.map((one) => (typeof one === "string" ? one : String(one.frame)));
  const { stream } = bluesky;
  if (stream === undefined) throw new Error("it is a stream");
  return stream.read(frames, now + HOUR);
}

test("a post has text, language, author, link, reply flag and the addresses that its text cuts short", () => {
  const { create } = events();
  const post = create(ann, "3kaa", "Look: acme.example/a-lo…", {
    langs: ["pt-BR", "en"],
    createdAt: new Date(now - HOUR).toISOString(),
    reply: { root: {}, parent: {} },
    facets: [
      { features: [{ $type: "app.bsky.richtext.facet#link", uri: "https://acme.example/a-long-way" }] },
    ],
    embed: { external: { title: "Acme catches fire", uri: "https://acme.example/a-long-way" } },
  });
  expect(read(post).items).toEqual([
    {
      id: "did:plc:ann/3kaa",
      url: "https://bsky.app/profile/did:plc:ann/post/3kaa",
      title: null,
      body: { text: "Look: acme.example/a-lo…\nAcme catches fire\nhttps://acme.example/a-long-way" },
      publishedAt: now - HOUR,
      author: ann,
      authorId: ann,
      language: "pt",
      pageType: "bluesky",
      isReply: true,
      isEdit: false,
      revision: now * 1_000,
    },
  ]);
});

test("what stands beside the text belongs to it: descriptions of pictures, videos, cards and tags", () => {
  const { create } = events();
  const pictures = { images: [{ alt: "An Acme kettle" }, { alt: "" }, { alt: 7 }, null] };
  const card = { external: { title: "T", description: "D", uri: "https://a.example/" } };
  const texts = [
    create(ann, "1", "Look", { embed: pictures, tags: ["acme", 7] }),
    create(ann, "2", "Look", { embed: { video: {}, alt: "It whistles" } }),
    create(ann, "3", "Look", { embed: card }),
    create(ann, "4", "A quote", { embed: { record: { record: {} }, media: pictures } }),
    create(ann, "5", "", { embed: { alt: "Only this" } }),
  ].map((event) => read(event).items[0]?.body);
  expect(texts).toEqual(
    [
      "Look\nAn Acme kettle\n#acme",
      "Look\nIt whistles",
      "Look\nT\nD\nhttps://a.example/",
      "A quote\nAn Acme kettle",
      "Only this",
    ].map((text) => ({ text })),
  );
});

test("a date that the author made up gives way to the moment at which the post went by", () => {
  const { create } = events();
  const dates = ["2011-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "soon", 7, null];
  for (const createdAt of dates)
    expect(read(create(ann, "3kaa", "x", { createdAt })).items[0]?.publishedAt).toBeGreaterThan(now - DAY);
});

test.each([
  ["create and delete", (e: ReturnType<typeof events>) => [e.create(ann, "1", "x"), e.remove(ann, "1")]],
  ["delete and create", (e: ReturnType<typeof events>) => [e.remove(ann, "1"), e.create(ann, "1", "x")]],
  [
    "create and removal",
    (e: ReturnType<typeof events>) => [e.create(ann, "1", "x"), e.account(ann, false, "deleted")],
  ],
  [
    "removal and create",
    (e: ReturnType<typeof events>) => [e.account(ann, false, "takendown"), e.create(ann, "1", "x")],
  ],
])("of %s in one batch no post is left", (_name, make) => {
  expect(read(...make(events())).items).toEqual([]);
});

test("an account that is back keeps what it wrote since, and not what was removed", () => {
  const { create, account } = events();
  const found = read(
    create(ann, "1", "before"),
    account(ann, false, "deactivated"),
    account(ann, true),
    create(ann, "2", "after"),
    create(bob, "3", "of bob"),
  );
  expect(found.items.map(({ id }) => id)).toEqual(["did:plc:ann/2", "did:plc:bob/3"]);
  expect(found.removedAuthors).toEqual([{ authorId: ann, reason: "its account is deactivated" }]);
  expect(found.restoredAuthors).toEqual([ann]);
});

test.each([
  ["deleted", 1],
  ["takendown", 1],
  ["suspended", 1],
  ["deactivated", 1],
  [undefined, 1],
  ["a new word", 1],
  // The server of the account has a problem: nobody wants anything removed.
  ["desynchronized", 0],
  ["throttled", 0],
])("an account event that is not active with the status %s removes %i account", (status, n) => {
  expect(read(events().account(ann, false, status)).removedAuthors).toHaveLength(n);
});

test("of several versions the newest counts, in whatever order they come", () => {
  const { create, update } = events();
  const [first, second, third] = [
    create(ann, "1", "one"),
    update(ann, "1", "two"),
    update(ann, "1", "three"),
  ];
  for (const order of [
    [first, second, third],
    [third, first, second],
    [second, third, first],
  ])
    expect(read(...order).items.map(({ body }) => body)).toEqual([{ text: "three" }]);
});

test("an edit that leaves no text removes the text that was stored", () => {
  const { update } = events();
  expect(read(update(ann, "1", ""))).toMatchObject({ items: [], deletes: [{ id: "did:plc:ann/1" }] });
});

test("positions are those of the events; one in the future is none", () => {
  const { create, identity, pause } = events();
  const [first, late, second] = [create(ann, "1", "x"), identity(bob), create(ann, "2", "y")];
  pause(30 * 86_400_000_000);
  const future = create(ann, "3", "z");
  const found = read(second, first, late, future);
  expect(found.items).toHaveLength(3);
  expect(found.positions).toEqual([second.at, first.at, late.at]);
});

test("this machine's clock may be slow: positions are those of most events", () => {
  const { create } = createEvents((now + 3 * HOUR) * 1_000);
  const [first, second, third] = [create(ann, "1", "x"), create(ann, "2", "y"), create(ann, "3", "z")];
  const { pause, create: later } = createEvents((now + 3 * HOUR) * 1_000);
  pause(30 * 86_400_000_000);
  const lie = later(bob, "4", "future");
  expect(read(first, lie, second, third).positions).toEqual([first.at, second.at, third.at]);
});

test.each([
  "",
  "{",
  "null",
  "[]",
  "7",
  '{"did":7}',
  '{"did":"no did"}',
  '{"did":"did:plc:a","kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.post","rkey":"../../x"}}',
])("a frame that says nothing known is counted: %s", (frame) => {
  expect(read(frame)).toMatchObject({ items: [], deletes: [], unread: 1 });
});

test("other collections, and fields that are not what they should be, are no posts", () => {
  const post = { operation: "create", collection: "app.bsky.feed.post", rkey: "1" };
  const records = [null, 7, [], { text: 7 }, { text: "", facets: 7, embed: [] }, { text: " " }];
  const commits = [
    ...records.map((record) => ({ ...post, record })),
    { ...post, collection: "app.bsky.feed.like" },
  ];
  const frames = commits.map((commit, n) =>
    JSON.stringify({ did: `did:plc:a${n}`, time_us: now * 1_000, commit }),
  );
  const texts = read(...frames).items.map(({ body }) =>
    body !== null && "text" in body ? body.text.trim() : "",
  );
  expect(texts.join("")).toBe("");
});

test("no frame makes it fail, and every id is of a known form", () => {
  const value = fc.jsonValue();
  const frame = fc.oneof(
    fc.string(),
    value.map((one) => JSON.stringify(one)),
    fc
      .record({
        did: fc.oneof(fc.constant(ann), value),
        time_us: value,
        commit: fc.record(
          {
            operation: value,
            collection: fc.constant("app.bsky.feed.post"),
            rkey: fc.string(),
            record: value,
          },
          { requiredKeys: [] },
        ),
        account: value,
      })
      .map((one) => JSON.stringify(one)),
  );
  fc.assert(
    fc.property(fc.array(frame), (frames) => {
      for (const { id, url } of read(...frames).items) {
        expect(id).toMatch(/^did:[\w:.%-]+\/[\w.:~-]+$/);
        expect(new URL(url ?? "").host).toBe("bsky.app");
      }
    }),
  );
});
