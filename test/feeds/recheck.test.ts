import { sql } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { nextCheckMs } from "../../src/feeds/run/decide-next.ts";
import { closeHost } from "../../src/feeds/store/feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE, toIso } from "../../src/lib/instant.ts";
import { startFeedServer } from "../fakes/feed-server.ts";
import { type FakePost, serveMastodon } from "../fakes/mastodon.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const [home, far] = [await startFeedServer(), await startFeedServer()];
afterAll(() => Promise.all([home.close(), far.close()]));
const feeding = await startFeeding({
  feeds: feedsOf(
    { kind: "mastodon", server: home.url, tags: ["acme"] },
    { kind: "mastodon", server: far.url, tags: ["acme"] },
  ),
  queries: { Acme: "acme" },
});
const { db } = feeding;

const posts: FakePost[] = [];
const post = (n: number, content = `<p>Acme ${n}</p>`): FakePost => ({
  ...{ id: String(1_000 + n), content, at: systemClock.now() - MINUTE },
});
const batches = (hasBatches: boolean) => serveMastodon(home, posts, { hasBatches });

beforeEach(async () => {
  posts.length = 0;
  batches(true);
  serveMastodon(far, []);
  home.requests.length = 0;
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`update feeds.feed set state = '{}', failures = 0, problem = null`.execute(db);
});

/** As if the first witness was a day ago. */
async function aDayLater() {
  await sql`update local_api.received_item set gone_since = gone_since - interval '25 hours'`.execute(db);
  await makeChecksDue();
}
async function makeChecksDue() {
  await sql`update local_api.received_item set check_at = now() where check_at is not null`.execute(db);
}
const texts = async () => (await feeding.mentions()).map(({ text }) => text);
const rechecks = () => home.requests.filter(({ path }) => path.startsWith("/api/v1/statuses"));

test.each([true, false])(
  "a post that its server has lost goes, and an edited one changes; batches: %s",
  async (has) => {
    batches(has);
    posts.push(post(1), post(2), post(3));
    await feeding.fetchAll();
    posts.splice(0, 2, post(2, "<p>Acme, edited</p>"));
    await feeding.fetchAll();
    expect(rechecks()).toHaveLength(0);
    await makeChecksDue();
    await feeding.fetchAll();
    await makeChecksDue();
    await feeding.fetchAll();
    // Twice in a minute is one witness.
    expect(await texts()).toEqual(["Acme 1", "Acme 3", "Acme, edited"].sort());
    await aDayLater();
    await feeding.fetchAll();
    expect(await texts()).toEqual([null, "Acme 3", "Acme, edited"].sort());
    const { rows } =
      await sql`select delete_reason from local_api.received_item where deleted_at is not null`.execute(db);
    expect(rows).toEqual([{ delete_reason: "the server does not have it any more" }]);
    // Its text is nowhere.
    const left =
      await sql`select from local_api.mention where full_text like '%Acme 1%' or filled_fields like '%Acme 1%'`.execute(
        db,
      );
    expect(left.rows).toHaveLength(0);
    // Nobody had said so: it comes back if its server shows it again, for a week.
    posts.push(post(1));
    await sql`update feeds.feed set state = '{}'`.execute(db);
    await feeding.fetchAll();
    expect((await texts()).filter((text) => text === "Acme 1")).toHaveLength(1);
  },
);

test("after a week, a delete that was only seen is for ever", async () => {
  posts.push(post(1), post(2));
  await feeding.fetchAll();
  posts.shift();
  await makeChecksDue();
  await feeding.fetchAll();
  await aDayLater();
  await feeding.fetchAll();
  expect(await texts()).toEqual(["Acme 2", null]);
  await sql`update local_api.received_item set may_return_until = now() - interval '1 second'
    where may_return_until is not null`.execute(db);
  posts.push(post(1));
  await sql`update feeds.feed set state = '{}'`.execute(db);
  await feeding.fetchAll();
  expect(await texts()).toEqual(["Acme 2", null]);
});

test.each<[string, (url: string) => { status?: number; body: string } | null]>([
  ["404 with null", () => ({ status: 404, body: "null" })],
  ["404 for every post, as after a move", () => ({ status: 404, body: '{"error":"Record not found"}' })],
])("a server that answers %s has deleted nothing, and its owner is told", async (_name, answer) => {
  posts.push(post(1), post(2), post(3));
  await feeding.fetchAll();
  const all = home.pages.get("*") as (a: unknown, b: unknown) => void;
  home.pages.set("*", (request, response) => {
    const given = request.url?.includes("/statuses") === true ? answer(request.url) : null;
    if (given === null) all(request, response);
    else response.writeHead(given.status ?? 200).end(given.body);
  });
  for (let day = 0; day < 3; day++) {
    await aDayLater();
    await feeding.fetchAll();
  }
  expect(await texts()).toEqual(["Acme 1", "Acme 2", "Acme 3"]);
  const problems = (await feeding.feeds()).map(({ problem }) => problem ?? "");
  if (_name !== "404 with null") expect(problems.join()).toContain("nothing was deleted");
});

test("a server that forgets posts of other servers after some days deletes none of them, but its own", async () => {
  const other = { ...post(1), uri: "https://other.example/1", url: "https://other.example/@bob/1" };
  posts.push(
    other,
    { ...post(2), uri: `${home.url}/users/ann/statuses/2` },
    {
      ...other,
      id: "1003",
      uri: "https://other.example/3",
      url: "https://other.example/@bob/3",
      content: "<p>Acme 3</p>",
    },
  );
  await feeding.fetchAll();
  posts.length = 0;
  await sql`update local_api.received_item set fetched_at = now() - interval '8 days'
    where native_id not like '%/3'`.execute(db);
  await makeChecksDue();
  await feeding.fetchAll();
  await aDayLater();
  await feeding.fetchAll();
  expect(await texts()).toEqual([null, null, "Acme 1"].sort());
});

test("one answer that fails deletes nothing", async () => {
  posts.push(post(1), post(2));
  await feeding.fetchAll();
  const all = home.pages.get("*");
  posts.length = 0;
  for (const answer of [
    { status: 503, body: "{}" },
    { status: 404, body: "<html>moved</html>" },
    { status: 401, body: "{}" },
    { body: "<html>" },
  ]) {
    home.pages.set("*", (request, response) => {
      if (request.url?.includes("/timelines/") === true) response.end("[]");
      else response.writeHead(answer.status ?? 200).end(answer.body);
    });
    await makeChecksDue();
    await feeding.fetchAll();
    expect(await texts()).toEqual(["Acme 1", "Acme 2"]);
  }
  const [feed] = (await feeding.feeds()).filter(({ problem }) => problem !== null);
  expect(feed).toBeUndefined();
  home.pages.set("*", all as never);
});

test("an outage of the re-read is said, and what was read with it is stored", async () => {
  posts.push(post(1));
  await feeding.fetchAll();
  posts.push(post(2));
  const all = home.pages.get("*") as (a: unknown, b: unknown) => void;
  home.pages.set("*", (request, response) => {
    if (request.url?.includes("/timelines/") === true) all(request, response);
    else response.writeHead(500).end();
  });
  await makeChecksDue();
  await feeding.fetchAll();
  expect(await texts()).toEqual(["Acme 1", "Acme 2"]);
  expect((await feeding.feeds()).map(({ problem }) => problem)).toContain(
    "stored items could not be checked for deletes: the server fails (status 500)",
  );
});

test("the same post seen through two servers is one mention", async () => {
  posts.push(post(1));
  const seenFar = { ...post(1), id: "77", uri: "https://social.example/users/ann/statuses/1001" };
  serveMastodon(far, [{ ...seenFar, url: "https://social.example/@ann/1001", at: posts[0]?.at ?? 0 }], {
    host: "far.example",
  });
  await feeding.fetchAll();
  expect(await texts()).toEqual(["Acme 1"]);
});

test("checks are few at a time, those first that have waited longest, and end after a month", async () => {
  posts.push(...Array.from({ length: 30 }, (_, n) => post(n)));
  await feeding.fetchAll();
  await sql`update local_api.received_item set check_at = now() - (right(reference, 3) || ' seconds')::interval`.execute(
    db,
  );
  home.requests.length = 0;
  await feeding.fetchAll();
  const [asked] = rechecks();
  const ids = new URL(asked?.path ?? "", home.url).searchParams.getAll("id[]");
  expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => String(1_029 - n)));
  await feeding.fetchAll();
  expect(rechecks()).toHaveLength(2);
  await sql`update local_api.received_item set check_at = now(), fetched_at = now() - interval '31 days'`.execute(
    db,
  );
  for (let round = 0; round < 3; round++) await feeding.fetchAll();
  const { rows } = await sql`select from local_api.received_item where check_at is not null`.execute(db);
  expect(rows).toHaveLength(0);
});

test("a changed count of likes alone is no edit", async () => {
  posts.push(post(1));
  await feeding.fetchAll();
  const [before] = await feeding.mentions();
  posts.splice(0, 1, { ...post(1), at: posts[0]?.at ?? 0, favourites_count: 4_000, replies_count: 70 });
  await makeChecksDue();
  await feeding.fetchAll();
  expect(rechecks()).toHaveLength(1);
  expect(await feeding.mentions()).toEqual([before]);
});

test("a host that wants to be left alone is, by all feeds, although all went well", async () => {
  const reset = toIso(systemClock.now() + 4 * MINUTE);
  home.pages.set("*", (_request, response) => {
    response.writeHead(200, { "x-ratelimit-remaining": "3", "x-ratelimit-reset": reset }).end("[]");
  });
  await feeding.fetchAll();
  const { rows } = await sql<{ minutes: number }>`
    select round(extract(epoch from next_at - now()) / 60)::integer as minutes from feeds.host
    where host = ${new URL(home.url).host}`.execute(db);
  expect(rows).toEqual([{ minutes: 4 }]);
  expect((await feeding.feeds()).map(({ problem }) => problem)).toEqual([null, null]);
});

test("a host that closes in the middle of a fetch keeps no worker waiting, and is no failure", async () => {
  posts.push(post(0));
  await feeding.fetchAll();
  posts.push(...Array.from({ length: 90 }, (_, n) => post(n + 1)));
  const all = home.pages.get("*") as (a: unknown, b: unknown) => void;
  home.requests.length = 0;
  home.pages.set("*", (request, response) => {
    const closing = closeHost(db, new URL(home.url).host, 10 * MINUTE);
    void closing.then(() => all(request, response));
  });
  await feeding.fetchAll();
  expect(home.requests).toHaveLength(1);
  const { rows } = await sql<{ failures: number; is_free: boolean; is_due: boolean }>`
    select failures, lease is null as is_free, next_at <= now() as is_due from feeds.feed
    where host = ${new URL(home.url).host}`.execute(db);
  expect(rows).toEqual([{ failures: 0, is_free: true, is_due: true }]);
  batches(true);
  await feeding.fetchAll();
  expect((await feeding.mentions({ hidden: true })).length).toBe(91);
});

test("a fetch that fails after some of its parts goes on behind them", async () => {
  posts.push(post(0));
  await feeding.fetchAll();
  posts.push(...Array.from({ length: 400 }, (_, n) => post(n + 1)));
  const all = home.pages.get("*") as (a: unknown, b: unknown) => void;
  home.requests.length = 0;
  home.pages.set("*", (request, response) => {
    if (home.requests.length <= 7) all(request, response);
    else response.writeHead(500).end();
  });
  await feeding.fetchAll();
  expect((await feeding.mentions({ hidden: true })).length).toBe(201);
  const states = JSON.stringify((await feeding.feeds()).map(({ state }) => state));
  expect(states).toContain(`"minId":"${post(200).id}"`);
  batches(true);
  await feeding.fetchAll();
  expect((await feeding.mentions({ hidden: true })).length).toBe(401);
});

test("waits grow with the age", () => {
  expect([10 * DAY, 31 * DAY].map((age) => nextCheckMs(age, false))).toEqual([HOUR, null]);
  expect([0, HOUR, 10 * HOUR, 29 * DAY, 30 * DAY].map((age) => nextCheckMs(age))).toEqual([
    ...[30 * MINUTE, 30 * MINUTE, 5 * HOUR, 14.5 * DAY, null],
  ]);
});
