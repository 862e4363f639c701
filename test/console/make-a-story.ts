import { HOUR, type Instant, MINUTE } from "../../src/lib/instant.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { beginIncident } from "../../src/monitor/incidents/begin-incident.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import type { Incident } from "../../src/monitor/model/incident.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import { eventAt } from "../../src/monitor/model/mention.ts";
import type { PendingNotification } from "../../src/monitor/model/notification.ts";
import type { Stores } from "../../src/monitor/store/stores.ts";
import { aMention } from "../mention.ts";

export const PROJECT = "7";
const BRANDS = ["Aurora Air", "Northwind", "Kestrel Mobile", "Blau & Söhne"] as const;

/** Texts of strangers that attack the page. */
export const ATTACKS = [
  `<script>document.title = "owned"</script>`,
  `"><img src=x onerror="document.title='owned'">`,
  `' onmouseover='document.title="owned"' x='`,
  `</p></main><iframe src="javascript:alert(1)"></iframe>`,
  `{{constructor.constructor("alert(1)")()}} \${alert(1)}`,
  `\u202Egnp.exe\u202C \u2066isolated`,
  `<a href="https://evil.example" hx-get="/logout" hx-trigger="load">click</a>`,
];

/** Stores mentions the way ingest does. */
export async function storeMentions(
  stores: Stores,
  mentions: readonly Mention[],
  seenAt: Instant,
  storyOf: (mention: Mention) => string = ({ resourceId }) => resourceId,
): Promise<void> {
  const page = mentions.map((mention) => ({ mention, eventAt: eventAt(mention), story: storyOf(mention) }));
  await stores.mentions.storePage(PROJECT, stores.mentions.rowsOf(page), seenAt);
}

export function anAlert(facts: Partial<Alert> & Pick<Alert, "openedAt">): Alert {
  return {
    id: uuid7(facts.openedAt),
    projectId: PROJECT,
    rule: "crisis-spike",
    fingerprint: `crisis-spike ${facts.queryId ?? "1"} ${facts.openedAt}`,
    queryId: "1",
    queryName: BRANDS[0],
    severity: "critical",
    state: "firing",
    labels: { query: facts.queryName ?? BRANDS[0] },
    firedAt: facts.openedAt,
    lastSeenAt: facts.openedAt,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 12,
    because: "212 mentions in an hour, 9.1 times the usual 23; at least 40 were needed",
    windowFrom: facts.openedAt - HOUR,
    windowTo: facts.openedAt,
    values: { observed: 212, expected: 23.3, times: 9.1, floor: 40 },
    handling: {},
    progress: {},
    ...facts,
  };
}

/** An incident of this alert and others of its query, with the beginning of a timeline. */
export async function makeAnIncident(
  stores: Stores,
  alert: Alert,
  others: readonly Alert[] = [],
): Promise<Incident> {
  const { projectId, queryId, queryName } = alert;
  const begun = beginIncident({ projectId, queryId, name: queryName }, alert, "", [], []);
  const incident = { ...begun, alerts: 1 + others.length };
  await stores.incidents.save([incident]);
  const joined = { projectId, incidentId: incident.id, joinedAt: alert.openedAt, because: "it began it" };
  await stores.incidents.join([alert, ...others].map(({ id }) => ({ ...joined, alertId: id })));
  await stores.incidents.addEntries(projectId, [
    { incidentId: incident.id, at: alert.openedAt, kind: "Opened", detail: alert.because, alertId: alert.id },
  ]);
  return incident;
}

export function pending(alert: Alert, facts: Partial<PendingNotification> = {}): PendingNotification {
  return {
    id: uuid7(facts.createdAt ?? alert.openedAt),
    projectId: PROJECT,
    receiver: "comms-slack",
    kind: "fired",
    alertId: alert.id,
    digest: null,
    createdAt: alert.openedAt,
    reason: "FirstNotification",
    ...facts,
  };
}

/** A day of four brands, with a crisis in its last hours. */
export async function makeAStory(
  stores: Stores,
  now: Instant,
): Promise<{ crisis: Alert; single: Alert; over: Alert }> {
  await watchQueries(stores, now);
  await storeMentions(stores, aDay(now), now);
  const crisis = anAlert({ openedAt: now - 55 * MINUTE, mentions: 212 });
  const single = anAlert({
    openedAt: now - 25 * MINUTE,
    rule: "large-account-negative",
    severity: "warning",
    queryId: "3",
    queryName: BRANDS[2],
    labels: { query: BRANDS[2], author: "daily_courier" },
    because: "a negative mention by an account with 1,204,000 followers (limit 50,000)",
    mentions: 2,
    values: { followers: 1_204_000 },
  });
  const over = anAlert({
    openedAt: now - 9 * HOUR,
    rule: "negative-share",
    severity: "warning",
    queryId: "2",
    queryName: BRANDS[1],
    labels: { query: BRANDS[1] },
    state: "resolved",
    resolvedAt: now - 7 * HOUR,
    because: "44% of 61 mentions were negative; the limit is 40% of at least 30",
    mentions: 61,
  });
  await stores.alerts.save([over, single, crisis]);
  await stores.alerts.addMatches(PROJECT, await matchesOf(stores, single, now));
  await stores.alerts.addEvents(
    PROJECT,
    [over, single, crisis].flatMap((alert) => historyOf(alert)),
  );
  await notify(stores, { crisis, single, over });
  await poll(stores, now);
  return { crisis, single, over };
}

async function watchQueries(stores: Stores, now: Instant): Promise<void> {
  const queries = BRANDS.map((name, index) => ({
    projectId: PROJECT,
    queryId: String(index + 1),
    name,
    projectName: "Brands",
    timezone: "UTC",
  }));
  await stores.queries.register(queries, now - 20 * HOUR, now - 24 * HOUR);
  for (const { queryId } of queries) await stores.queries.setTickedUntil(PROJECT, queryId, now - 5 * MINUTE);
}

const TEXTS = {
  negative: [
    "Third cancellation in a row and nobody at the desk. @{brand} what is going on?",
    "Two hours on hold with {brand} and then they hung up on me",
    "Sitting on the tarmac at gate B14 since noon. No water, no word.",
  ],
  neutral: [
    "Does anybody know whether {brand} takes bikes on the evening connection?",
    "{brand} names a new chief of operations, effective in May",
    "Comparing offers: {brand} or the other one?",
  ],
  positive: [
    "Shout-out to the {brand} crew that found my daughter's bear and posted it home",
    "Honestly the best support chat I have had this year, thank you {brand}",
    "Window seat, sunrise, on time. Good morning from {brand}.",
  ],
} as const;

/** Pseudo-random, so that every run draws the same picture. */
function aDay(now: Instant): Mention[] {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const mentions: Mention[] = [];
  BRANDS.forEach((brand, index) => {
    for (let hour = 23; hour >= 0; hour--) {
      const crisis = index === 0 && hour < 3;
      const usual = [14, 9, 6, 3][index] ?? 3;
      const count = Math.round(usual * (0.6 + random()) * (crisis ? 5 : 1));
      for (let i = 0; i < count; i++) {
        const draw = random();
        const sentiment = draw < (crisis ? 0.7 : 0.2) ? "negative" : draw < 0.75 ? "neutral" : "positive";
        const at = now - hour * HOUR - Math.floor(random() * 50 * MINUTE);
        const texts = TEXTS[sentiment];
        mentions.push(
          aMention({
            queryId: String(index + 1),
            resourceId: `m${index}-${hour}-${i}`,
            publishedAt: at,
            addedAt: at,
            sentiment,
            text: (texts[Math.floor(random() * texts.length)] ?? "").replaceAll("{brand}", brand),
            author: `traveller_${Math.floor(random() * 900)}`,
            authorName:
              ["Mira Okafor", "Jonas", "J. P. Lindqvist", "Ayşe", "عمر", "Priya N."][
                Math.floor(random() * 6)
              ] ?? null,
            followers: Math.floor(random() ** 6 * 90_000),
            reach: Math.floor(random() * 9_000),
            pageType: random() < 0.7 ? "twitter" : random() < 0.5 ? "news" : "forum",
            language: "en",
            url: `https://www.social.example/status/${index}${hour}${i}`,
          }),
        );
      }
    }
  });
  const hostile = ATTACKS.map((text, index) =>
    aMention({
      queryId: "1",
      resourceId: `attack-${index}`,
      publishedAt: now - (index + 1) * MINUTE,
      addedAt: now - (index + 1) * MINUTE,
      sentiment: "negative",
      text,
      title: index === 0 ? text : null,
      author: text,
      url: index % 2 === 0 ? "javascript:alert(1)" : "https://bank.example@evil.example/",
      pageType: text,
    }),
  );
  return [...mentions, ...hostile];
}

async function matchesOf(stores: Stores, alert: Alert, now: Instant) {
  const mentions = [
    aMention({
      queryId: alert.queryId,
      resourceId: "courier-1",
      publishedAt: now - 26 * MINUTE,
      addedAt: now - 26 * MINUTE,
      sentiment: "negative",
      authorName: "The Daily Courier",
      author: "daily_courier",
      verified: true,
      followers: 1_204_000,
      reposts: 312,
      text: "Kestrel Mobile customers report a second night without service across the north. The company has not answered our questions.",
      url: "https://www.courier.example/kestrel-outage",
      pageType: "news",
      categories: [{ id: "11", name: "Outage", parentId: "1", parentName: "Service" }],
    }),
  ];
  await storeMentions(stores, mentions, now);
  return mentions.map((mention) => ({
    rule: alert.rule,
    mention,
    alertId: alert.id,
    at: now - 25 * MINUTE,
    because: alert.because,
  }));
}

function historyOf(alert: Alert) {
  const line = (at: Instant, what: string, detail: string) => ({ alertId: alert.id, at, what, detail });
  return [
    line(alert.openedAt, "Fired", alert.because),
    line(alert.openedAt, "FirstNotification", "comms-slack (route)"),
    line(alert.openedAt, "HeldByQuietHours", "press-mail (quiet-hours)"),
    ...(alert.resolvedAt === null
      ? []
      : [line(alert.resolvedAt, "Resolved", "below the limit for 30 minutes")]),
  ];
}

async function notify(
  stores: Stores,
  { crisis, single, over }: { crisis: Alert; single: Alert; over: Alert },
) {
  const sent = [
    pending(over),
    pending(over, { kind: "resolved", reason: "Resolved", createdAt: over.resolvedAt ?? over.openedAt }),
    pending(crisis),
    pending(single),
  ];
  const failing = pending(crisis, { receiver: "on-call-mail" });
  const waiting = pending(single, {
    receiver: "press-mail",
    kind: "reminder",
    reason: "RepeatIntervalElapsed",
  });
  await stores.notifications.addPending([...sent, failing, waiting]);
  for (const { id, createdAt } of sent) {
    const claimed = await stores.notifications.claim(PROJECT, id);
    if (claimed !== null) await stores.notifications.markSent(claimed, createdAt, { channel: "C1", ts: "1" });
  }
  const claimed = await stores.notifications.claim(PROJECT, failing.id);
  if (claimed !== null) {
    await stores.notifications.markFailed(
      claimed,
      { code: "smtp_451", detail: "the mail server answered 451 greylisted, try again later" },
      60_000,
    );
  }
}

async function poll(stores: Stores, now: Instant): Promise<void> {
  await stores.polls.ensure(now - MINUTE);
  for (const queryId of ["1", "2", "3"]) {
    for (const name of ["added", "updated"] as const) {
      const key = { projectId: PROJECT, queryId, poll: name };
      const claimed = await stores.polls.claim(key, now);
      if (claimed === null) continue;
      await stores.coverage.record({
        ...key,
        startedAt: now - MINUTE,
        fromAt: now - 6 * MINUTE,
        untilAt: now - MINUTE,
        claimed: 42,
        seen: 42,
        stored: queryId === "2" ? 38 : 42,
        rejected: queryId === "2" ? 1 : 0,
        gap: queryId === "2" ? 3 : 0,
      });
      const gap = queryId === "2" ? { gap: { from: now - 5 * MINUTE, tries: 3, missing: 3 } } : {};
      await stores.polls.advance(key, claimed.lease, { cursor: null, ...gap });
      if (queryId === "3" && name === "added") {
        await stores.polls.fail(key, claimed.lease, "the source answered 503 Service Unavailable", 5_000);
        continue;
      }
      await stores.polls.finish(key, claimed.lease, {
        completeUntil: now - MINUTE,
        polledAt: now - MINUTE,
        nextAt: now,
      });
    }
  }
  await stores.coverage.deadLetters(PROJECT, "2", now - MINUTE, [
    { resourceId: "r-991", reason: "the date of addition is missing" },
  ]);
}
