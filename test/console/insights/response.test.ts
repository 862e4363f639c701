import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildAnswers } from "../../../src/console/insights/response.ts";
import { answersLine } from "../../../src/console/insights/response-page.ts";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { type AnsweredAlert, MOST_ANSWERED_ALERTS } from "../../../src/monitor/model/shown.ts";
import { anAlert, PROJECT } from "../make-a-story.ts";
import { startTestConsole, type TestConsole } from "../start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;

beforeAll(async () => {
  web = await startTestConsole(NOW);
  const query = {
    projectId: PROJECT,
    queryId: "1",
    name: "Acme <b>",
    projectName: "Brands",
    timezone: "UTC",
  };
  await web.stores.queries.register([query], NOW - HOUR, NOW - HOUR);
});
afterAll(() => web.close());

const answered = (minutes: number | null, facts: Partial<AnsweredAlert> = {}): AnsweredAlert => ({
  ...{
    alertId: uuid7(NOW),
    rule: "r",
    queryName: "Acme",
    severity: "warning",
    firedAt: NOW,
    relevant: null,
    messages: 1,
  },
  answeredAt: minutes === null ? null : NOW + minutes * MINUTE,
  ...facts,
});

test("the middle of an even number of waits is between the two in the middle; without an answer there is none", () => {
  const of = (...minutes: (number | null)[]) => buildAnswers(minutes.map((one) => answered(one)));
  expect(of(1, 9, 3).medianMs).toBe(3 * MINUTE);
  expect(of(1, 9, 3, 5, null).medianMs).toBe(4 * MINUTE);
  expect(of(1, 9, null)).toMatchObject({
    fired: 3,
    answered: 2,
    messages: 3,
    slowest: answered(9, { alertId: expect.any(String) as never }),
  });
  expect(of(null).medianMs).toBeNull();
  expect(buildAnswers([])).toMatchObject({ fired: 0, medianMs: null, slowest: null });
});

test("where more alerts fired than are read, the page says that it counts the newest", () => {
  const said = (n: number) => String(answersLine(buildAnswers(new Array(n).fill(answered(2)))));
  expect(said(MOST_ANSWERED_ALERTS - 1)).toContain(
    "<strong>4,999 alerts</strong> fired; somebody was on 4,999",
  );
  expect(said(MOST_ANSWERED_ALERTS)).toContain("<strong>The newest 5,000 alerts</strong> are counted here");
});

test("the first action of a person counts, and who had the incident before was there at once", async () => {
  const { stores } = web;
  const at = (minutes: number) => NOW - 5 * HOUR + minutes * MINUTE;
  const [first, second, third, past] = [
    anAlert({ openedAt: at(0), handling: { acknowledgedBy: "ann", relevant: true } }),
    anAlert({ openedAt: at(60), rule: "negative-share", state: "resolved", resolvedAt: at(90) }),
    anAlert({
      openedAt: at(70),
      rule: "negative-share",
      queryName: "Acme <b>",
      handling: { relevant: false },
      state: "resolved",
      resolvedAt: at(100),
    }),
    anAlert({ openedAt: at(0) - 30 * 24 * HOUR }),
  ].map((alert, n) => ({ ...alert, id: uuid7(alert.openedAt + n) }));
  if (first === undefined || second === undefined || third === undefined || past === undefined)
    throw new Error();
  await stores.alerts.save([first, second, third, past]);
  const event = (alertId: string, minutes: number, what: string) => ({
    alertId,
    at: at(minutes),
    what,
    detail: "by ann",
  });
  await stores.alerts.addEvents(PROJECT, [
    event(first.id, 0, "Fired"),
    event(first.id, 12, "AcknowledgedBy"),
    event(first.id, 30, "ResolvedBy"),
    event(third.id, 110, "NotRelevantSaid"),
  ]);
  await stores.notifications.addPending([
    {
      ...{ id: uuid7(at(101)), projectId: PROJECT, receiver: "comms", kind: "fired", alertId: third.id },
      ...{ digest: null, createdAt: at(101), reason: "FirstNotification" },
    },
  ]);
  await sql`update earshot.notifications set state = 'sent'`.execute(web.database.db);
  const read = (await (await fetch(`${web.url}/insights/response.json?last=7d`)).json()) as {
    alerts: AnsweredAlert[];
  };
  expect(
    read.alerts.map(({ rule, answeredAt, firedAt, relevant }) => [
      rule,
      answeredAt === null ? null : (answeredAt - firedAt) / MINUTE,
      relevant,
    ]),
  ).toEqual([
    ["negative-share", 40, false],
    ["negative-share", null, null],
    ["crisis-spike", 12, true],
  ]);
  const markup = await (
    await fetch(`${web.url}/insights/response?last=7d`, { headers: { accept: "text/html" } })
  ).text();
  const text = markup.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
  expect(text).toContain("3 alerts fired; somebody was on 2 of them. Median wait 26m, longest 40m.");
  expect(text).toContain("In the time before: No alert fired.");
  // Over, sent, and called not relevant.
  expect(text).toContain("comms: 1 of 1 message");
  expect(markup).toContain("Acme &lt;b&gt;");
  expect(markup).toContain(`/alerts/${third.id}`);
});
