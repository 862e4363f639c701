import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { listDigests } from "../../src/monitor/digest/list-digests.ts";
import { planDigests } from "../../src/monitor/digest/planned-digest.ts";
import { ALL_PROJECTS } from "../../src/monitor/model/digest.ts";
import { createPreviews } from "../../src/monitor/notify/previews/create-previews.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { sampleDigestViews } from "../../src/monitor/templates/sample-digest-views.ts";
import { ATTACKS } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const ATTACK = ATTACKS[1] ?? "";
const [FULL] = sampleDigestViews;
if (FULL === undefined) throw new Error("there is a sample");
const common = { timezone: "Europe/Berlin", language: "en", queries: ["*"], skipQuiet: false };
const DIGESTS = planDigests([
  { ...common, name: "morning-read", at: 8 * 60, receivers: [{ name: "comms" }, { name: "board" }] },
  {
    ...common,
    name: ATTACK,
    every: "week",
    on: "mon",
    at: 450,
    queries: ["Acme*"],
    receivers: [{ name: ATTACK }],
  },
]);

let web: TestConsole;
beforeAll(async () => {
  const renderer = await createRenderer({ folder: "templates" });
  web = await startTestConsole(NOW, {
    defaults: ({ stored }) => ({
      previews: createPreviews({
        renderer,
        digests: () => listDigests(DIGESTS, NOW),
        editionOf: stored.digests.body,
        contentOf: async () => null,
      }),
    }),
  });
  await make("morning-read", "2026-03-02", NOW - DAY - 7 * HOUR, "built");
  await make("morning-read", "2026-03-03", NOW - 7 * HOUR, "built", ATTACK);
  await make("of last year", "2026-01-01", NOW - 60 * DAY, "skipped");
  await web.stores.digests.setSubscribed("morning-read", "board", false);
});
afterAll(() => web.close());

async function make(
  name: string,
  localDate: string,
  dueAt: number,
  state: "built" | "skipped",
  text = "Calm",
) {
  const edition = {
    ...{ name, localDate, dueAt, period: { from: dueAt - DAY, to: dueAt } },
    before: { from: dueAt - 2 * DAY, to: dueAt - DAY },
  };
  await web.stores.digests.announce(edition);
  await web.stores.digests.settle(edition, state, { ...FULL, name: text });
  if (state === "skipped") return;
  const digest = { name, localDate };
  const pending = {
    projectId: ALL_PROJECTS,
    kind: "digest",
    alertId: null,
    digest,
    createdAt: dueAt,
  } as const;
  await web.stores.notifications.addPending(
    ["comms", "board"].map((receiver) => ({ ...pending, id: uuid7(dueAt), receiver, reason: "DigestDue" })),
  );
}

const ask = (path: string) => fetch(`${web.url}${path}`, { headers: { accept: "text/html" } });
const textOf = async (path: string) => (await (await ask(path)).text()).replaceAll(/\s+/g, " ");

test("each digest says when it comes, about what and for whom, who left it, and how its editions were sent", async () => {
  const text = await textOf("/digests");
  expect(text).toContain("<dd>every day at 08:00, Europe/Berlin</dd>");
  expect(text).toMatch(/<dt>Next<\/dt><dd><time datetime="2026-03-04T07:00:00/);
  expect(text).toContain("every Monday at 07:30, Europe/Berlin");
  expect(text).toContain('<bdi>board</bdi> <span class="detail">(unsubscribed)</span>');
  expect(text).toContain("waits for <bdi>board, comms</bdi>");
  expect(text).toMatch(
    /of last year<\/bdi><\/h2><p class="hint">It is in the configuration no more.*not sent: nothing happened/,
  );
  // The newest is open.
  expect(text).toMatch(/date=2026-03-03#reading" aria-current="true"/);
});

test("an edition is shown as its readers got it, in a frame that runs nothing, without a link of a reader", async () => {
  const text = await textOf("/digests?name=morning-read&date=2026-03-02");
  expect(text).toMatch(/date=2026-03-02#reading" aria-current="true"/);
  expect(text).toContain('src="/digests/html?name=morning-read&amp;date=2026-03-02"');
  const frame = await ask("/digests/html?name=morning-read&date=2026-03-02");
  expect(frame.headers.get("content-security-policy")).toContain("sandbox");
  const mail = await frame.text();
  expect(mail).toContain("Calm");
  expect(mail).not.toContain("nsubscribe");
  expect((await ask("/digests/html?name=morning-read&date=2026-03-09")).status).toBe(404);
});

test("what attacks it stays text, on the page and in the frame", async () => {
  for (const path of ["/digests", "/digests/html?name=morning-read&date=2026-03-03"])
    expect(await textOf(path)).not.toContain(ATTACK);
});

test("a program gets the same as JSON", async () => {
  const answer = await fetch(`${web.url}/digests.json`);
  expect(await answer.json()).toMatchObject({
    digests: [
      { name: "morning-read", schedule: "every day at 08:00" },
      { schedule: "every Monday at 07:30" },
    ],
    editions: [{ localDate: "2026-03-03", state: "built", readers: [{ receiver: "board" }, {}] }, {}, {}],
    unsubscribed: [{ digest: "morning-read", receiver: "board" }],
  });
});

test("where no digest is configured the page says how", async () => {
  const empty = await startTestConsole(NOW, {
    deps: {
      previews: createPreviews({
        renderer: await createRenderer({ folder: "templates" }),
        ...{ digests: () => [], editionOf: async () => null, contentOf: async () => null },
      }),
    },
  });
  expect(await (await fetch(`${empty.url}/digests`, { headers: { accept: "text/html" } })).text()).toContain(
    "No digest is configured",
  );
  await empty.close();
});
