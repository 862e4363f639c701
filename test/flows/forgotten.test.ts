import { describe, expect, test } from "vitest";
import { forget } from "../../src/admin/forget.ts";
import { removeCopies } from "../../src/lab/backtest/api-mentions.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { exportMentions } from "../../src/listening-api/account/export-mentions.ts";
import { receiveItems } from "../../src/listening-api/arrive/receive-items.ts";
import { undoDeletes } from "../../src/listening-api/arrive/sealed-items.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { putReceived } from "../../src/listening-api/store/received-items.ts";
import { listUndoable } from "../../src/listening-api/store/sealed-items.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import { whyUnreadMention } from "../../src/monitor/explain/ask-source.ts";
import { whyMention } from "../../src/monitor/explain/why.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import { createViewOf } from "../../src/monitor/notify/view/view-of.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { tracesIn, tracesInQueue, tracesInTables } from "./find-traces.ts";
import { onEveryEngine } from "./on-every-engine.ts";
import { CROWD, NEGATIVE } from "./rules.ts";
import { asAdministrator, type Story } from "./story.ts";
import { ACCOUNT } from "./story-setting.ts";
import type { StoryMentionFields } from "./stream.ts";

/** Words that only the deleted mentions have. */
const WORDS = [
  "zorblax",
  "quimby",
  "vextron",
  "glimmerfant",
  "quillonda",
  "brasswit",
  "wimbleford",
  "grimwozzle",
];

const HERS: StoryMentionFields = {
  sentiment: "negative",
  title: "Wimbleford calling",
  snippet: "The zorblax of Acme quimby vextron glimmerfant all over my kitchen floor #grimwozzle",
  author: "quillonda_b",
  fullname: "Quillonda Brasswit",
  url: "https://quillonda.example/posts/17",
  domain: "quillonda.example",
};
const IDS = ["hers-1", "hers-2", "hers-3", "hers-4"];
const DEAD = "hers-dead";

const RULES = {
  negative: NEGATIVE,
  "by-author": NEGATIVE.replace("over:", "groupBy: author\nover:"),
  "by-domain": NEGATIVE.replace("over:", "groupBy: domain\nover:"),
  "by-story": NEGATIVE.replace("over:", "groupBy: story\nover:"),
  crowd: CROWD,
  "new-tag": "description: x\nseverity: info\nnew: { what: hashtag, atLeast: 2, learn: 1h }\n",
  "new-author": "description: x\nseverity: info\nnew: { what: author, atLeast: 3, learn: 1h }\n",
};

/** Everything that there is: alerts of all kinds, digests, receivers that wait, a dead letter. */
const SETTING = {
  from: "05:00",
  rules: RULES,
  routes: [
    { match: { rule: "by-domain" }, receivers: ["crisis"], groupBy: ["query"], groupWait: "2h" },
    { receivers: ["alerts", "on-call", "team"], repeatEvery: "20m" },
  ],
  escalations: [{ name: "phone", steps: [{ after: "10m", receivers: ["crisis"] }] }],
  receiverSettings: {
    team: { quietHours: [{ from: "05:00", to: "20:00", timezone: "UTC" }] },
    crisis: { throttle: { atMost: 1, per: "1h" } },
  },
  digests: [
    { name: "half-day", at: "10:00", timezone: "UTC", receivers: ["alerts", "on-call"] },
    { name: "late-read", at: "10:00", timezone: "UTC", receivers: ["team"] },
  ],
};

/** Quiet hours of others, and then hers among others. */
function speak({ at }: Pick<Story, "at">): void {
  for (const hour of ["05", "06", "07"])
    at(`${hour}:10`).mentions("Acme", {
      count: 12,
      every: "3m",
      snippet: "Acme is fine and the tea is warm today",
    });
  at("08:30").mentions("Acme", {
    ...{ count: 14, every: "10s", sentiment: "negative", author: "bo", fullname: "Bo" },
    snippet: "Acme has let me down again, and it is the second time in a week",
  });
  IDS.forEach((resourceId, i) => {
    at(`08:3${i + 1}`).mention("Acme", { ...HERS, resourceId });
  });
  at("08:36").mention("Acme", {
    ...HERS,
    resourceId: "other",
    author: "cy",
    fullname: "Cy",
    ...OTHERS,
  });
}

const OTHERS = {
  title: "A kettle",
  snippet: "Acme makes a kettle that whistles like a train in the morning",
  url: "https://cy.example/1",
  domain: "cy.example",
};

/** Of these, the author says that they are deleted; the others are only seen to be gone, so their content is sealed. */
const SAID = new Set(["hers-1", "hers-3"]);

async function inLocalTables<T>(
  story: Story,
  work: (db: Database, project: { readonly id: number; readonly timezone: string }) => Promise<T>,
): Promise<T> {
  const pool = openPool({ url: story.databaseUrl, connections: 2, onError: () => {} });
  try {
    const { rows } = await pool.query<{ id: string }>("select id from local_api.project");
    return await work(createDatabase(pool), { id: Number(rows[0]?.id), timezone: "Etc/UTC" });
  } finally {
    await pool.end();
  }
}

/** All of them go where they stand. */
function deleteAtSource(story: Story, ids: readonly string[]): Promise<void> {
  const from = { kind: "rss", feedKey: null, host: "feeds.example", policyVersion: 1 };
  const items = ids.map((resourceId) => ({
    ...{ idKey: Buffer.from(resourceId).toString("hex"), contentKey: null, resourceId, nativeId: resourceId },
    ...{ reason: "it is gone", deleteReason: null, mayReturn: !SAID.has(resourceId) },
  }));
  return inLocalTables(story, (db, project) =>
    db.transaction().execute(async (transaction) => {
      await putReceived(
        transaction,
        project.id,
        items.map((item) => ({ ...from, ...item, mayReturn: false })),
      );
      const arriving = { at: story.clock.now(), cache: new Map(), queue: async () => {} };
      const deleted = items.map(({ idKey, nativeId, reason, mayReturn }) => ({
        ...{ idKey, nativeId, reason, mayReturn },
      }));
      await receiveItems(
        transaction,
        project,
        { ...from, feedKey: "feed" },
        { arrived: [], deleted },
        arriving,
      );
    }),
  );
}

/** Somebody knows that what was seen to be gone is there: it is told as new. */
function undoSeen(story: Story): Promise<number> {
  return inLocalTables(story, async (db, { id }) => {
    const ids = (await listUndoable(db, id)).map((one) => one.id);
    expect(ids).not.toContain("hers-1");
    return undoDeletes(db, id, ids, { now: story.clock.now, queue: async () => {} });
  });
}

/** Where one of the words still stands: every table, the queue, everything that is rendered from now on. */
async function traces(
  story: Story,
  engine: Parameters<Parameters<typeof onEveryEngine>[0]>[1],
  words = WORDS,
) {
  const { databaseUrl, slack, earshot, database, config } = story;
  const { stores } = earshot;
  const found = [
    ...(await tracesInTables(databaseUrl, words)),
    ...(await tracesInQueue(engine.backend(databaseUrl), words)),
    ...tracesIn("Slack", await slack.messages(), words),
  ];
  const { rules } = await loadRules(config.rules);
  const facts = createConsoleStore(database.db);
  const viewOf = createViewOf({
    ...{ stores, rulesFor: () => rules, timezone: "UTC", clock: story.clock, consoleUrl: () => null },
  });
  const alerts = await stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
  const notifications = await story.query<{ id: string; project_id: string; receiver: string }>(
    "select id, project_id, receiver from earshot.notifications",
  );
  for (const { id, project_id } of notifications) {
    const [row] = await facts.alertNotifications(project_id, id, 1);
    if (row !== undefined) found.push(...tracesIn("notification", row, words));
  }
  for (const alert of alerts) {
    const view = await viewOf({
      ...{ id: alert.id, projectId: alert.projectId, receiver: "alerts", kind: "fired", alertId: alert.id },
      ...{ digest: null, createdAt: 0, state: "due", reason: "x", attempts: 0, attemptsBefore: 0 },
      ...{ lastError: null, vendorRef: null, also: alerts.map(({ id }) => id) },
    });
    found.push(...tracesIn(`message of ${alert.rule}`, view, words));
  }
  for (const resource of [...IDS, DEAD])
    found.push(...tracesIn("why", await whyMention({ stores, facts, rules }, resource), words));
  for (const word of words) {
    const filter = { projectId: null, queryId: null, sentiment: null, contains: word };
    const { mentions } = await facts.mentions(filter, null, 10);
    if (mentions.length > 0) found.push(`search: ${word}`);
  }
  const web = await startTestConsole(story.clock.now(), {
    rules,
    defaults: () => ({
      facts,
      actions: { ...createAlertActions({ stores, clock: story.clock }), secret: "x" },
    }),
  });
  try {
    const pages = [
      "/",
      "/alerts",
      "/alerts.atom",
      "/mentions",
      "/mentions.atom",
      "/health",
      "/rules",
      "/silences",
      "/lists",
      "/insights/speakers",
    ];
    for (const { id } of alerts) pages.push(`/alerts/${id}`, `/alerts/${id}/chart-light.svg`);
    for (const page of pages)
      found.push(...tracesIn(`page ${page}`, await (await fetch(web.url + page)).text(), words));
  } finally {
    await web.close();
  }
  found.push(...tracesIn("local API", await localAnswers(story), words));
  found.push(...tracesIn("export", await exported(story), words));
  return [...new Set(found)];
}

/** The files of `local-api export`. */
async function exported({ databaseUrl, clock, query }: Story): Promise<string> {
  const pool = openPool({ url: databaseUrl, connections: 2, onError: () => {} });
  try {
    const rows = await query<{ id: string }>("select id from local_api.query");
    const queryIds = rows.map(({ id }) => Number(id));
    const lines: string[] = [];
    const range = { queryIds, from: 0, to: clock.now() + 1, at: clock.now() };
    for await (const some of exportMentions(createDatabase(pool), range)) lines.push(...some);
    return lines.join("\n");
  } finally {
    await pool.end();
  }
}

/** What the local Listening API answers about everything. */
async function localAnswers({ config, query }: Story): Promise<string> {
  const { baseUrl } = config.sources[0];
  const login = new URLSearchParams({
    ...{ username: ACCOUNT.username, grant_type: "api-password", client_id: "earshot-api-client" },
  });
  const token = await fetch(`${baseUrl}/oauth/token?${login}`, {
    method: "POST",
    body: new URLSearchParams({ password: ACCOUNT.password }),
  });
  const { access_token: bearer } = (await token.json()) as { access_token: string };
  const [stored] = await query<{ id: string; project_id: string }>(
    "select id, project_id from local_api.query where name = 'Acme'",
  );
  const range = "startDate=2026-01-01T00:00:00Z&endDate=2027-01-01T00:00:00Z";
  const data = `${baseUrl}/projects/${stored?.project_id}/data`;
  const answers: string[] = [];
  for (const path of [
    "mentions",
    "mentions/fulltext",
    "volume/topauthors/queries",
    "volume/topsites/queries",
    "volume/topics/queries",
  ]) {
    const answer = await fetch(`${data}/${path}?queryId=${stored?.id}&${range}&pageSize=500`, {
      headers: { authorization: `Bearer ${bearer}` },
    });
    answers.push(`${path} ${answer.status} ${await answer.text()}`);
  }
  return answers.join("\n");
}

/** One rule is silenced, so its notification waits. */
async function silence({ actions }: Story): Promise<void> {
  await actions.addSilence({
    ...{ match: { rule: ["by-story"] }, comment: "", lengthMs: 4 * HOUR, windows: [] },
    by: { via: "shell", login: "ann", typed: null },
  });
}

/** PostgreSQL refuses one mention, so it becomes a dead letter, which has the whole mention. */
const REFUSE = `
create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
create trigger refuse before insert on earshot.mentions for each row when (new.resource_id = '${DEAD}')
execute function refuse()`;

onEveryEngine((begin, engine) => {
  describe("a mention that its author deletes leaves nothing behind", () => {
    test("after everything was made of it", { timeout: 120_000 }, async () => {
      const story = await begin(SETTING);
      await asAdministrator(story.databaseUrl, REFUSE);
      speak(story);
      story.at("08:37").mention("Acme", { ...HERS, resourceId: DEAD });
      await story.until("08:25", "30m");
      await silence(story);
      await story.until("10:10", "15m");
      const before = await traces(story, engine);
      // The test would prove nothing where the words never were.
      for (const place of [
        "earshot.mentions",
        "earshot.dead_letters",
        "earshot.alerts",
        "earshot.digests",
        "local_api.mention",
      ])
        expect(
          before.some((trace) => trace.startsWith(place)),
          place,
        ).toBe(true);
      for (const place of [
        "Slack",
        "message of negative",
        "message of crowd",
        "page /",
        "search",
        "export",
        "why",
        "local API",
      ])
        expect(
          before.some((trace) => trace.startsWith(place)),
          place,
        ).toBe(true);
      const pages = await story.query<{ body: Mention; project_id: string }>(
        "select body, project_id from earshot.mentions where resource_id like 'hers-%'",
      );
      expect(pages).toHaveLength(IDS.length);
      const digests = (await story.slack.messages()).filter(({ text }) => text.includes("Half day"));
      expect(tracesIn("digest", digests, WORDS)).not.toEqual([]);
      await deleteAtSource(story, [...IDS, DEAD]);
      await story.until("10:30", "20m");
      expect(await traces(story, engine)).toEqual([]);
      const why = await whyUnreadMention(
        { stores: story.earshot.stores, facts: createConsoleStore(story.database.db), rules: [] },
        "hers-1",
      );
      expect(why.queries[0]).toMatchObject({ outcome: "Deleted" });
      const shown = JSON.stringify(await story.slack.messages());
      expect(shown).toMatch(/mentions? that (its author|their authors) deleted/);
      expect(shown).toContain("kettle");
      // What comes again is refused, as it was before: late pages, dead letters that are tried again.
      const { deadLetters } = story.earshot.stores;
      for (const { body, project_id: projectId } of pages) {
        const { queryId, resourceId } = body;
        const letter = {
          projectId,
          queryId,
          resourceId,
          kind: "mention",
          reason: "x",
          tries: 1,
          body,
        } as const;
        await deadLetters.add(letter, story.clock.now());
      }
      expect(await deadLetters.replay("all", story.clock.now())).toBe(IDS.length);
      await story.until("11:00", "30m");
      expect(await traces(story, engine)).toEqual([]);
      expect(await undoSeen(story)).toBe(3);
      await story.until("11:30", "30m");
      const back = await story.query<{ n: string }>(
        "select count(*) as n from earshot.mentions where body::text like '%zorblax%'",
      );
      expect(back).toEqual([{ n: "3" }]);
    });

    test("or when somebody forgets the author by hand", { timeout: 120_000 }, async () => {
      const story = await begin(SETTING);
      await asAdministrator(story.databaseUrl, REFUSE);
      speak(story);
      story.at("08:37").mention("Acme", { ...HERS, resourceId: DEAD });
      await story.until("08:25", "30m");
      await silence(story);
      await story.until("10:10", "15m");
      const pool = openPool({ url: story.databaseUrl, connections: 2, onError: () => {} });
      const { rules } = await loadRules(story.config.rules);
      const parts = {
        ...{ stores: story.earshot.stores, rulesFor: () => rules, clock: story.clock },
        local: createDatabase(pool),
        removeCopies: () => removeCopies(story.config.rules, Number.POSITIVE_INFINITY),
      };
      const asked = { what: "author", value: "@quillonda_b", source: null } as const;
      const actor = { via: "shell", login: "ann", typed: null } as const;
      await story.earshot.stores.authorLists.put({
        ...{ id: uuid7(story.clock.now()), list: "VIP", author: "quillonda_b", name: "Quillonda Brasswit" },
        ...{ site: null, note: "Has a brasswit", actor, at: story.clock.now() },
      });
      expect(await forget(parts, asked, actor)).toMatchObject({ mentions: 4, localMentions: 5 });
      await pool.end();
      await story.until("10:30", "20m");
      expect(await traces(story, engine)).toEqual([]);
      expect(await story.query("select what, mentions, actor from earshot.forget_requests")).toEqual([
        { what: "author", mentions: 4, actor },
      ]);
    });
  });
});
