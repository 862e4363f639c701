import { sql } from "kysely";
import { forget as forgetPerson } from "../../src/admin/forget.ts";
import type { StreamItem } from "../../src/feeds/common/define-feed.ts";
import { authorKeyOf, toArrived, toDeleted } from "../../src/feeds/run/to-arrived.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import { type ArrivedBatch, receiveItems } from "../../src/listening-api/arrive/receive-items.ts";
import { editMention } from "../../src/listening-api/edit/edit-mention.ts";
import { queries } from "../../src/listening-api/resources/queries.ts";
import { listQueries } from "../../src/listening-api/store/queries.ts";
import { lockWriting } from "../../src/listening-api/store/write-order.ts";
import { type FeedAnswer, rssDocument } from "../fakes/feed-server.ts";
import { noEnricher, noEnrichment } from "../feeds/no-enricher.ts";
import { storyTime } from "../flows/story-time.ts";
import type { FeedProcess } from "./feed-world.ts";
import type { Pair, Task } from "./task.ts";

/** A state of the tables of public feeds, and pairs of tasks that two processes do in it at once. */
export interface FeedScene {
  readonly name: string;
  /** What the site of the RSS feed answers, by path. */
  readonly site?: (url: string) => Readonly<Record<string, FeedAnswer>>;
  readonly first?: readonly Task<FeedProcess>[];
  readonly pairs: readonly Pair<FeedProcess>[];
}

const doing = (name: string, work: (process: FeedProcess) => Promise<unknown>): Task<FeedProcess> => ({
  name,
  prepare: async () => work,
});

const written = (id: string, text: string): StreamItem => ({
  ...{ id, title: null, body: { text }, url: `https://blog.example/${id}`, isEdit: false },
  ...{ publishedAt: storyTime("08:00"), author: "ann", authorId: "did:ann", fullname: "Ann" },
});
const push = (id: string, text: string): Task<FeedProcess> =>
  doing(`push of ${text}`, ({ run, feed }) =>
    run.receivePushed(feed("push"), { items: [written(id, text)], deletes: [] }),
  );
const pushDelete = (id: string): Task<FeedProcess> =>
  doing(`delete of ${id}`, ({ run, feed }) =>
    run.receivePushed(feed("push"), { items: [], deletes: [{ id, reason: "its sender says so" }] }),
  );

/** What a batch of a stream stores. */
async function receive(
  { db, project, feed, clock, cache }: FeedProcess,
  batch: Partial<ArrivedBatch>,
): Promise<void> {
  const { definition, key, host } = feed("bluesky");
  const from = { kind: definition.kind, feedKey: key, host, policyVersion: definition.policy.version };
  const how = { at: clock.now(), cache, queue: noEnricher.queue, keeps: "matched" } as const;
  await db
    .transaction()
    .execute((transaction) =>
      receiveItems(transaction, project, from, { arrived: [], deleted: [], ...batch }, how),
    );
}
const post = (id: string, text: string): Task<FeedProcess> =>
  doing(`post of ${text}`, async (process) => {
    const kind = process.feed("bluesky").definition;
    const now = process.clock.now();
    const around = { kind, fetchedAt: now, keepFrom: now - DAY, enrich: noEnrichment };
    const { item } = toArrived(written(id, text), around);
    await receive(process, { arrived: item === null ? [] : [item] });
  });
const unpost = (id: string): Task<FeedProcess> =>
  doing(`removal of ${id}`, (process) =>
    receive(process, {
      deleted: [toDeleted(process.feed("bluesky").definition, { id, reason: "its author removed it" })],
    }),
  );
const account = (process: FeedProcess) => authorKeyOf(process.feed("bluesky").definition, "did:ann");
const removeAccount = doing("removal of the account", (process) =>
  receive(process, { removedAuthors: [{ authorKey: account(process), reason: "its account is gone" }] }),
);
const restoreAccount = doing("return of the account", (process) =>
  receive(process, { restoredAuthors: [account(process)] }),
);

const forget = doing("forget ann", ({ db, stores, clock }) =>
  forgetPerson(
    {
      stores: { ...stores, forgotten: { ...stores.forgotten, rewriteFiles: async () => "Partly" } },
      ...{ clock, local: db, removeCopies: async () => {}, rulesFor: () => [] },
    },
    { what: "author", value: "ann", source: null },
    { via: "page", login: "bo", typed: null },
  ),
);

const NOTHING_ELSE = { addCategories: [], removeCategories: [], addTags: [], removeTags: [] };

/** A client of the API stars a mention. */
const star: Task<FeedProcess> = {
  name: "edit by a client",
  prepare: async (look) => {
    const own = await listQueries(look.db, look.project.id);
    const { rows } = await sql<{ resource_id: string }>`
      select resource_id from local_api.mention where query_id = ${own[0]?.id} limit 1`.execute(look.db);
    const resourceId = rows[0]?.resource_id ?? "";
    const which = { projectId: look.project.id, queryIds: own.map(({ id }) => id), resourceId };
    return ({ db, clock }) =>
      // One that is deleted is there no more, and the client is told.
      editMention(db, which, { ...NOTHING_ELSE, fields: { starred: true } }, () => clock.now()).catch(
        () => {},
      );
  },
};
const addQuery = doing("new query", ({ db, project, clock }) =>
  db.transaction().execute(async (transaction) => {
    await lockWriting(transaction, [project.id]);
    await queries.create(
      {
        ...{ db: transaction, project, at: clock.now(), projectIds: new Set([project.id]) },
        caller: { user: { username: "ann" } } as Parameters<typeof queries.create>[0]["caller"],
      },
      {
        ...{ name: "Refunds", type: "search string", typeName: null, text: "refund", description: "" },
        ...{ samplePercentage: 100, languages: [], contentSources: null, startDate: storyTime("00:00") },
        ...{ includedLocations: [], excludedLocations: [] },
      },
    );
  }),
);

const fetch = doing("fetch", ({ run }) => run.fetchNext());
/** Nobody else fetches it any more. */
const fetchLater = doing("fetch an hour later", async ({ db, run }) => {
  await sql`select harness.put_forward(${HOUR / 1_000})`.execute(db);
  await run.fetchNext();
});
/** Its own fetch was shown a document that does not list the item whose page is gone. */
const recheck: Task<FeedProcess> = {
  name: "question for pages",
  prepare: async (_look, own) => {
    own.look("/short");
    await own.run.fetchNext();
    return ({ run }) => run.recheckNext();
  },
};

const rss = (url: string, ...ids: readonly number[]): FeedAnswer => ({
  body: rssDocument(
    ids.map((id) => ({
      ...{ guid: `${url}/${id}`, link: `${url}/${id}`, title: `Acme ${id}` },
      date: new Date(storyTime("08:00")).toUTCString(),
    })),
  ),
});

export const FEED_SCENES: readonly FeedScene[] = [
  {
    name: "pushed",
    first: [push("one", "acme one")],
    pairs: [
      [push("two", "acme two refund"), pushDelete("two")],
      [push("one", "acme one, edited"), pushDelete("one")],
      [push("one", "acme one, edited"), push("one", "acme one, edited again")],
      [push("two", "acme two refund"), push("two", "acme two refund")],
      [push("two", "acme two refund"), forget],
      [push("one", "acme one, edited"), forget],
      [push("one", "acme one, edited"), star],
      [pushDelete("one"), star],
      [pushDelete("one"), forget],
      [push("two", "acme two refund"), addQuery],
      [pushDelete("one"), addQuery],
    ],
  },
  {
    name: "streamed",
    first: [post("one", "acme one")],
    pairs: [
      [post("two", "acme two"), unpost("two")],
      [post("two", "acme two"), removeAccount],
      [post("one", "acme one"), unpost("one")],
      [unpost("one"), removeAccount],
      [removeAccount, restoreAccount],
      [restoreAccount, post("two", "acme two")],
    ],
  },
  {
    name: "fetched",
    site: (url) => ({ "/feed": rss(url, 1, 2), "/short": rss(url, 1), "/": { body: "front" }, "/1": {} }),
    first: [
      fetch,
      doing("two days", async ({ db }) => {
        await sql`update local_api.received_item set gone_since = now() - interval '25 hours', seen_on = seen_on - 2,
          check_at = now() where reference like '%/2'`.execute(db);
        await sql`update feeds.feed set state = '{}', next_at = now() where next_at is not null`.execute(db);
        await sql`delete from feeds.host`.execute(db);
      }),
    ],
    pairs: [
      [fetch, fetch],
      [fetch, fetchLater],
      [fetch, forget],
      [recheck, fetchLater],
      [recheck, forget],
    ],
  },
];
