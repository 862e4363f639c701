import { Writable } from "node:stream";
import pg from "pg";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { openPage } from "../../src/console/open-console.ts";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { loopDelay } from "../../src/lib/loop-delay.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const WITHIN = { withinMs: 60_000, everyMs: 20 };

let closing = createClosing();
afterEach(async () => {
  await closing.close();
  closing = createClosing();
});

const pageAt = (url: string) => fetch(url, { headers: { accept: "text/html" } });

test("pages that find no free connection are refused with 503, and the log gets one line for all", async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (text: unknown, _: unknown, done: () => void) => {
    lines.push(JSON.parse(String(text)));
    done();
  };
  const database = await createTestDatabase();
  closing.add(database.drop);
  const page = await openPage({
    ...{ databaseUrl: database.url, clock: systemClock, log: pino(new Writable({ write })), rules: [] },
    settings: { host: "127.0.0.1", port: 0, timezone: "UTC" },
    ...{ tryNextPort: false, hasLocalInbox: false },
  });
  closing.add(page.close);
  expect((await pageAt(`${page.url}/alerts`)).status).toBe(200);
  // As a page that is committed for long, or a table that is changed: whoever reads waits.
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("begin; lock table earshot.alerts in access exclusive mode");
  const answers: Response[] = [];
  const asked = Promise.all(
    Array.from({ length: 30 }, () => pageAt(`${page.url}/alerts`).then((answer) => answers.push(answer))),
  );
  await until("some are refused", () => answers.length >= 3, WITHIN);
  // Probes go on meanwhile.
  expect((await fetch(`${page.url}/healthz`)).status).toBe(200);
  await holder.end();
  await asked;
  expect(answers.filter(({ status }) => status !== 200).map(({ status }) => status)).not.toContain(500);
  const [refused] = answers;
  expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await refused?.text()).toContain("Earshot is too busy for this");
  expect(lines.map(({ msg }) => msg)).toEqual(["pages were refused: too busy for all readers"]);
  expect((await pageAt(`${page.url}/alerts`)).status).toBe(200);
});

test("a few pages are made at once, some wait, and the next is refused at once; a probe is answered", async () => {
  let making = 0;
  let makeAll = () => {};
  const made = new Promise<void>((resolve) => {
    makeAll = resolve;
  });
  const web = await startTestConsole(NOW, {
    defaults: ({ facts }) => ({
      facts: {
        ...facts,
        countOpenAlerts: async () => {
          making++;
          await made;
          return facts.countOpenAlerts();
        },
      },
    }),
  });
  closing.add(web.close);
  const waiting = Array.from({ length: 62 }, () => pageAt(`${web.url}/alerts`));
  await until("two are made", () => making === 2, WITHIN);
  const late = await pageAt(`${web.url}/alerts`);
  expect([late.status, late.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await fetch(`${web.url}/healthz`)).status).toBe(200);
  expect(making).toBe(2);
  makeAll();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(62).fill(200));
});

test("parts of open pages, which all ask at once, wait in a queue of their own, and are made once for many", async () => {
  let making = 0;
  let makeAll = () => {};
  const made = new Promise<void>((resolve) => {
    makeAll = resolve;
  });
  const web = await startTestConsole(NOW, {
    defaults: ({ facts }) => ({
      facts: {
        ...facts,
        alerts: async (...asked: Parameters<typeof facts.alerts>) => {
          making++;
          await made;
          return facts.alerts(...asked);
        },
      },
    }),
  });
  closing.add(web.close);
  const parts = Array.from({ length: 150 }, () => pageAt(`${web.url}/alerts?part=list`));
  await until("two are made", () => making === 2, WITHIN);
  // A page has its turn meanwhile.
  expect((await pageAt(`${web.url}/mentions`)).status).toBe(200);
  makeAll();
  expect((await Promise.all(parts)).map(({ status }) => status)).toEqual(Array(150).fill(200));
  // Ten a second, and those that began before the first was made.
  expect(making).toBeLessThan(75);
});

test("a reader who goes away while others wait gives up the turn", async () => {
  const web = await startTestConsole(NOW);
  closing.add(web.close);
  const ending = new AbortController();
  const gone = Array.from({ length: 30 }, () => fetch(`${web.url}/alerts`, { signal: ending.signal }));
  ending.abort();
  await Promise.allSettled(gone);
  expect((await pageAt(`${web.url}/alerts`)).status).toBe(200);
});

test("beside the pipeline, pages are refused while the loop is late, but probes, logins and forms are not", async () => {
  const settings = { login: { username: "ann", password: "a long password" } };
  const web = await startTestConsole(NOW, { settings, deps: { admission: { besidePipeline: true } } });
  closing.add(web.close);
  expect((await pageAt(`${web.url}/login`)).status).toBe(200);
  expect((await fetch(`${web.url}/alerts`)).status).toBe(401);
  const blocking = setInterval(() => {
    const end = monotonicMs() + 250;
    while (monotonicMs() < end);
  }, 1);
  try {
    await until("the loop is late", () => loopDelay(3).meanMs > 200, { ...WITHIN, everyMs: 200 });
    // Refused before anybody asks who it is.
    expect((await fetch(`${web.url}/alerts`)).status).toBe(503);
    expect((await fetch(`${web.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${web.url}/login`)).status).toBe(200);
    expect((await fetch(`${web.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${web.url}/silences`, { method: "POST" })).status).toBe(401);
  } finally {
    clearInterval(blocking);
  }
  await until("pages are back", async () => (await fetch(`${web.url}/alerts`)).status === 401, WITHIN);
});
