import { expect, test, vi } from "vitest";
import { MINUTE, SECOND } from "../../src/lib/instant.ts";
import { type BeginStory, onAnyEngine, onEveryEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import { asAdministrator, expectCountedOnce, expectEveryMentionOnce, type Story } from "./story.ts";

const WAIT = { timeout: 20_000, interval: 20 };
const MENTIONS = "data/mentions";
const LATER_PAGE = "data/mentions*cursor=";
const RULES = {
  negative: NEGATIVE,
  "negative-count": `
description: Counts whatever is negative.
severity: warning
when: { sentiment: negative }
volume: { atLeast: 1000, within: 1h }
`,
};
const FIRST = "INFO Ann is negative about Acme. Since Mon 2 Mar, 09:01 UTC.";

/** Nine mentions, so three full pages of three; one of them is negative. */
function nine({ at }: Story): void {
  at("09:01").mention("Acme", { sentiment: "negative", fullname: "Ann" });
  at("09:02").mentions("Acme", { count: 8, sentiment: "neutral" });
}

async function expectAllOnce(story: Story): Promise<void> {
  await expectEveryMentionOnce(story);
  await expectCountedOnce(story);
  expect(await story.posted("#alerts")).toEqual([FIRST]);
}

/** The failures of the polls while the work was done. A poll's next success deletes its failure. */
async function errorsDuring(story: Story, work: () => Promise<void>): Promise<string[]> {
  await asAdministrator(
    story.databaseUrl,
    `create table earshot.seen_errors (error text primary key);
     create function earshot.note_error() returns trigger language plpgsql as $$
       begin insert into earshot.seen_errors values (new.last_error) on conflict do nothing; return new; end $$;
     create trigger note_error after update on earshot.polls for each row
       when (new.last_error is not null) execute function earshot.note_error();`,
  );
  await work();
  const rows = await story.query<{ error: string }>("select error from earshot.seen_errors");
  return rows.map(({ error }) => error).sort();
}

const beginWithSmallPages = (begin: BeginStory) =>
  begin({ rules: RULES, source: { pageSize: 3, timeout: "5s" } });

onAnyEngine((begin) => {
  test("with any fault of the source, every mention is stored and counted once, and the fault is visible", async () => {
    const story = await beginWithSmallPages(begin);
    nine(story);
    await story.source.fail(
      { kind: "429", path: MENTIONS, amount: SECOND },
      { kind: "500", path: MENTIONS },
      { kind: "502", path: LATER_PAGE },
      { kind: "truncated", path: LATER_PAGE },
      { kind: "dropped", path: LATER_PAGE },
      { kind: "hang-up", path: LATER_PAGE },
    );
    const errors = await errorsDuring(story, () => story.until("09:05"));
    expect(await story.source.pending()).toEqual([]);
    expect(errors).toEqual([
      expect.stringMatching(/^mentions: 200 with JSON that is cut off/),
      "mentions: 429 rate limit exceeded",
      "mentions: 500 An internal error occurred.",
      "mentions: 502 the source cannot answer now",
      "mentions: the connection failed (UND_ERR_SOCKET)",
    ]);
    await expectAllOnce(story);
    expect(await story.query("select last_error from earshot.polls where last_error is not null")).toEqual(
      [],
    );
  });

  test("a refused cursor is worked around, and is no error", async () => {
    const story = await beginWithSmallPages(begin);
    nine(story);
    await story.source.fail({ kind: "cursor-refused" });
    expect(await errorsDuring(story, () => story.until("09:05"))).toEqual([]);
    expect(await story.source.pending()).toEqual([]);
    await expectAllOnce(story);
  });

  test("rows shown twice, pages without rows, totals that lie and cursors that end change nothing", async () => {
    const story = await beginWithSmallPages(begin);
    nine(story);
    await story.source.fail(
      { kind: "duplicates", remaining: null },
      { kind: "cursor-ends", remaining: null },
      { kind: "empty-page", path: LATER_PAGE },
      { kind: "wrong-total", remaining: 4 },
      { kind: "token-revoked", path: LATER_PAGE },
      { kind: "slow", amount: 20, remaining: 3 },
    );
    await story.until("09:15");
    expect(await story.source.pending()).toEqual(["duplicates", "cursor-ends"]);
    await expectAllOnce(story);
  });

  test("mentions that are indexed late and out of order are found when they are there", async () => {
    const story = await beginWithSmallPages(begin);
    await story.source.fail({ kind: "late", amount: 4 * MINUTE, probability: 0.7, remaining: null });
    nine(story);
    await story.until("09:20");
    await expectAllOnce(story);
  });

  test("a token that has expired is renewed by one login", async () => {
    const story = await beginWithSmallPages(begin);
    nine(story);
    await asAdministrator(story.databaseUrl, "delete from local_api.token");
    const logins = () => story.source.calls.filter((path) => path.startsWith("/oauth/token")).length;
    const before = logins();
    await story.until("09:05");
    expect(logins()).toBe(before + 1);
    await expectAllOnce(story);
  });
});

onEveryEngine((begin, engine) => {
  test("a job queue that forgets everything again and again loses nothing", async () => {
    const story = await beginWithSmallPages(begin);
    nine(story);
    story.slack.faults.push({ method: "chat.postMessage", answer: { status: 503, body: "" } });
    let isLiving = true;
    const living = story.until("09:05").finally(() => {
      isLiving = false;
    });
    let calls = story.source.calls.length;
    while (isLiving) {
      await vi.waitFor(() => expect(!isLiving || story.source.calls.length > calls).toBe(true), WAIT);
      calls = story.source.calls.length + 2;
      await engine.lose(story.databaseUrl);
      await story.earshot.sweep();
    }
    await living;
    await expectAllOnce(story);
  });

  test("connections to PostgreSQL that are cut in the middle hold the work up and lose nothing", async () => {
    const story = await beginWithSmallPages(begin);
    nine(story);
    story.at("09:08").mentions("Acme", { count: 9, sentiment: "neutral" });
    await story.until("09:05");
    for (const on of [/data\/mentions/, /cursor=/, /cursor=/])
      story.source.holds.push({ on, hold: () => cutConnections(story.databaseUrl) });
    // The story reads the tables on these connections, too, and is refused now and then.
    await vi.waitFor(() => story.until("09:10"), WAIT);
    await vi.waitFor(() => story.settle(), WAIT);
    expect(story.source.holds).toEqual([]);
    await expectAllOnce(story);
  });
});

/** Runs when a call of the source waits for it: its poll has a lease then, and other jobs run. */
function cutConnections(url: string): Promise<void> {
  return asAdministrator(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'earshot%'`,
  );
}
