import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { createLog } from "../../src/lib/log.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { createNotifyConfig } from "../../src/monitor/health/notify-config.ts";
import { recordNotifications } from "../../src/monitor/ingest/record-notifications.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { deliver } from "../../src/monitor/notify/deliver/deliver.ts";
import { email } from "../../src/monitor/notify/notifiers/email.ts";
import { slack as slackKind } from "../../src/monitor/notify/notifiers/slack.ts";
import { createViewOf } from "../../src/monitor/notify/view/view-of.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../fakes/smtp.ts";
import { oddQuery } from "../odd-world.ts";
import { useStores } from "../use-stores.ts";
import { storyTime } from "./story-time.ts";

const QUERY = oddQuery();
const closing = createClosing();
const clock = createManualClock(storyTime("09:00"));
const { database, stores } = await useStores();
let slack: FakeSlack;
let smtp: FakeSmtp;
let drain: () => Promise<string[]>;
let fire: (...alerts: Alert[]) => Promise<void>;

beforeAll(async () => {
  await ensurePartitions(database.db, clock.now());
  await stores.queries.register([QUERY], clock.now() - HOUR, clock.now() - HOUR);
  slack = await startFakeSlack({ channels: ["alerts"] });
  closing.add(slack.close);
  smtp = await startFakeSmtp();
  closing.add(smtp.close);
  const receivers = [
    { name: "channel", kind: "slack", channel: "#alerts", token: slack.token, apiUrl: slack.apiUrl },
    {
      name: "ann",
      kind: "email",
      to: "ann@acme.example",
      from: "e@acme.example",
      smtp: { host: smtp.host, port: smtp.port },
    },
  ];
  const config = await parseConfig({
    source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
    receivers,
    routes: [{ receivers: ["channel", "ann"], repeatEvery: "never" }],
  });
  const deps = {
    renderer: await createRenderer({ folder: "templates" }),
    clock,
    log: createLog({ level: "silent" }),
  };
  const { name: _, ...toChannel } = receivers[0] ?? {};
  const { name: __, ...toAnn } = receivers[1] ?? {};
  const notifiers = new Map([
    ["channel", slackKind.create(slackKind.config.parse(toChannel), deps)],
    ["ann", email.create(email.config.parse(toAnn), deps)],
  ]);
  closing.add(async () => {
    for (const notifier of notifiers.values()) await notifier.close();
  });
  const parts = {
    log: stores.notifications,
    channelLimits: stores.channelLimits,
    liveMessages: stores.alertMessages,
    receiversOf: (slots: string) =>
      [...notifiers].filter(([, one]) => one.channel?.key === slots).map(([name]) => name),
    notifierOf: (name: string) => notifiers.get(name),
    viewOf: createViewOf({ stores, rulesFor: () => [], timezone: "UTC", clock, consoleUrl: () => null }),
    clock,
  };
  const directory = createNotifyConfig(config);
  fire = async (...alerts) => {
    await stores.transaction(async (facts) => {
      await facts.queries.lock(QUERY.projectId, QUERY.queryId);
      await facts.alerts.save(alerts);
      await recordNotifications(facts, { notifyConfig: directory, clock }, QUERY, alerts);
    });
  };
  drain = async () => {
    const outcomes: string[] = [];
    for (const name of notifiers.keys()) {
      // As on the live service: the end of one page leads to the next request.
      for (
        let next = await stores.notifications.nextDue([name]);
        next !== null;
        next = await stores.notifications.nextDue([name])
      ) {
        const { outcome } = await deliver(parts, next, new AbortController().signal);
        // A place that works takes one message a second.
        if (outcome === "Paced" && slack.faults.length === 0) {
          await time("2 seconds");
          continue;
        }
        outcomes.push(`${name} ${outcome}`);
        if (outcome !== "Sent") break;
      }
    }
    return outcomes;
  };
});
afterAll(() => closing.close());

/** Back-off and the closed channels run on the database's clock. */
async function time(passes: string): Promise<void> {
  await sql`update earshot.notifications set next_attempt_wall = next_attempt_wall - ${passes}::interval where state = 'due'`.execute(
    database.db,
  );
  await sql`update earshot.channel_limits set closed_until_wall = closed_until_wall - ${passes}::interval, counted_wall = counted_wall - ${passes}::interval`.execute(
    database.db,
  );
}

function alert(rule: string, at: string, severity: Alert["severity"]): Alert {
  const openedAt = storyTime(at);
  return {
    id: uuid7(openedAt),
    projectId: QUERY.projectId,
    rule,
    fingerprint: rule,
    queryId: QUERY.queryId,
    queryName: QUERY.name,
    severity,
    state: "firing",
    labels: { query: QUERY.name },
    openedAt,
    firedAt: openedAt,
    lastSeenAt: openedAt,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 40,
    because: "40 mentions in 15 min, 10 expected",
    windowFrom: openedAt - HOUR / 4,
    windowTo: openedAt,
    values: {},
    handling: { callingSince: openedAt },
  };
}
const over = (one: Alert, at: string): Alert => ({ ...one, state: "resolved", resolvedAt: storyTime(at) });
const posted = () =>
  slack.calls
    .filter(({ method }) => method === "chat.postMessage")
    .map(({ fields }) => (fields["thread_ts"] === undefined ? "" : "↳ ") + fields["text"]);

test("an hour without Slack and mail: then the most severe alert comes first, each once in its latest state, and nothing is lost", async () => {
  const known = alert("known", "09:00", "warning");
  await fire(known);
  expect(await drain()).toEqual(["channel Sent", "ann Sent"]);

  // Both are away from 09:05 to 10:05.
  const away = { answer: { status: 503, body: "" } };
  slack.faults.push(...Array.from({ length: 500 }, () => away));
  smtp.faults.push(
    ...Array.from({ length: 500 }, () => ({ at: "mail" as const, code: 421, text: "not now" })),
  );
  const meanwhile = async (at: string, ...alerts: Alert[]) => {
    clock.set(storyTime(at));
    await fire(...alerts);
    await time("10 minutes");
    for (const outcome of await drain()) expect(outcome).toMatch(/Failed|Paced/);
  };
  const crowd = alert("crowd", "09:10", "warning");
  const brief = alert("brief", "09:15", "warning");
  const crisis = alert("crisis", "09:30", "critical");
  await meanwhile("09:10", crowd);
  await meanwhile("09:15", brief);
  await meanwhile("09:30", crisis);
  await meanwhile("09:40", over(brief, "09:40"));
  const moreSevere: Alert = {
    ...crowd,
    severity: "critical",
    handling: { callingSince: storyTime("09:45") },
  };
  await meanwhile("09:45", moreSevere);
  await meanwhile("09:50", over(known, "09:50"));

  slack.faults.length = 0;
  smtp.faults.length = 0;
  slack.calls.length = 0;
  smtp.mails.length = 0;
  clock.set(storyTime("10:05"));
  await time("2 hours");
  await drain();
  expect(posted()).toEqual([
    // It fired as a warning and became more severe: one message, in its latest state.
    "CRITICAL Acme: 40 mentions in 15 min, 10 expected. Since Mon 2 Mar, 09:10 UTC.",
    "CRITICAL Acme: 40 mentions in 15 min, 10 expected. Since Mon 2 Mar, 09:30 UTC.",
    "Already resolved: Acme, Brief after 25 min: 40 mentions.",
    "↳ Resolved: Acme, Known after 50 min: 40 mentions.",
  ]);
  expect(smtp.mails.map(({ parsed }) => parsed.subject)).toEqual([
    "[CRITICAL] Acme: 40 mentions in 15 min, 10 expected",
    "[CRITICAL] Acme: 40 mentions in 15 min, 10 expected",
    "[RESOLVED] Acme: Brief",
    "[RESOLVED] Acme: Known",
  ]);
  expect(smtp.mails[2]?.parsed.text).toContain("ALREADY RESOLVED: Acme: Brief");
  expect(await stores.notifications.unsettled()).toBe(0);
  const { rows } = await sql<{ detail: string; n: number }>`
    select detail, count(*) as n from earshot.deliveries where attempt = 0 group by 1
  `.execute(database.db);
  // Two of each receiver: the rise, and the end of what began and ended meanwhile.
  expect(rows).toEqual([{ detail: "covered by the earlier message, which had waited, too", n: 4 }]);
});
