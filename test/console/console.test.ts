import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmailMessage } from "../../src/console/inbox/inbox-view.ts";
import { waitsPanel, warmUpPart } from "../../src/console/parts/status-panels.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import type { ShownWait, ShownWarmUp } from "../../src/monitor/model/shown.ts";
import { createAlertExplainer } from "../../src/monitor/notify/view/alert-chart.ts";
import { ATTACKS, makeAnIncident, makeAStory } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const WAIT: ShownWait = {
  receiver: "comms-slack",
  waiting: 4,
  outcome: "Paused",
  forMs: 29_600,
  because: "Slack asks us to wait <30s>",
};
const LEARNER: ShownWarmUp = {
  projectId: "p",
  projectName: "Brands",
  queryId: "1",
  queryName: "<b>Acme",
  rule: "gone-quiet",
  kind: "absence",
  counts: "negative mentions",
  until: NOW + DAY,
  needs: "1 more day",
};
let web: TestConsole;
let story: { crisis: Alert; single: Alert; over: Alert };

beforeAll(async () => {
  web = await startTestConsole(NOW, {
    deps: {
      explainer: createAlertExplainer("UTC"),
      warmingUp: async () => [LEARNER],
      waits: async () => [WAIT],
    },
  });
  story = await makeAStory(web.stores, NOW);
});
afterAll(() => web.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${web.url}${path}`, { headers: { accept: "text/html", ...headers } });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Lists show what follows in grey. */
const firstClause = ({ because }: { because: string }) => because.split(/(?<=[.;]) /)[0] ?? "";

test("the overview shows the clock, open alerts, volume, mentions, and what was sent", async () => {
  const { status, body } = await get("/");
  expect(status).toBe(200);
  expect(body).toContain("Tue 14:05 UTC");
  expect(body).toContain("In this demo one minute is an hour.");
  expect(body).toContain("A crisis breaks out within two minutes.");
  expect(body).toContain(firstClause(story.crisis));
  expect(body).not.toContain(firstClause(story.over));
  expect(body).toContain("Mentions of Aurora Air by hour");
  expect(body).toContain("the mail server answered 451 greylisted");
  expect(body.match(/class="mention is-/g)?.length).toBe(30);
});

test("an alert on single mentions shows who said what, and the rule's reason below", async () => {
  const [{ mention } = { mention: null }] = await web.stores.mentions.ofAlert(
    story.single.projectId,
    story.single.id,
    1,
  );
  const { body } = await get("/alerts");
  expect(mention?.text).not.toBeNull();
  const item = body.slice(body.indexOf(`alert-${story.single.id}`)).split("</li>")[0] ?? "";
  expect(onOneLine(item)).toMatch(
    /<p class="because" dir="auto"> ?<strong>.+<\/strong>.*: .+<\/p>\s*<p class="detail" dir="auto">/s,
  );
  expect(item).toContain((mention?.text ?? "").slice(0, 30));
});

test("no text of a stranger becomes markup, on any page", async () => {
  for (const path of ["/", "/mentions", `/alerts/${story.crisis.id}`, "/mentions?query=1&contains=script"]) {
    const { body } = await get(path);
    for (const attack of ATTACKS) if (/[<>"']/.test(attack)) expect(body).not.toContain(attack);
    expect(body).not.toMatch(/<[^>]+\son\w+\s*=/i);
    expect(body).not.toMatch(/href="(?!https?:|\/|#)/i);
    expect(body).not.toContain("evil.example/");
  }
  expect((await get("/mentions")).body).toContain("&lt;script&gt;document.title");
});

test("pages hold no inline script, style or handler, and forbid them", async () => {
  for (const path of ["/", "/alerts", `/alerts/${story.single.id}`, "/mentions", "/inbox", "/health"]) {
    const { body, headers } = await get(path);
    expect(body).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=/i);
    expect(headers.get("content-security-policy")).toContain("default-src 'none';script-src 'self'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
});

/** Where a line of a page ends means nothing to a reader. */
function onOneLine(page: string): string {
  return page.replaceAll(/\s+/g, " ");
}

test("external links lead only to the web, and send no referrer", async () => {
  const { body } = await get(`/alerts/${story.single.id}`);
  expect(onOneLine(body)).toMatch(
    /href="https:\/\/www\.courier\.example\/kestrel-outage" target="_blank" rel="noopener noreferrer nofollow ugc"/,
  );
});

test("an alert shows why it fired, what happened, and who was notified with what outcome", async () => {
  const { body } = await get(`/alerts/${story.crisis.id}`);
  expect(body).toContain("9.1 times the usual 23");
  expect(body).toContain("Held by quiet hours");
  expect(body).toContain("failed once, will be tried again");
  expect(body).toContain("Mentions of its time");
  const single = await get(`/alerts/${story.single.id}`);
  expect(single.body).toContain("Mentions that met the rule");
  expect(single.body).toContain("a second night without service");
});

test("an alert on counts shows what changed and its chart, for light and dark, and nothing of either is markup", async () => {
  const { crisis, single } = story;
  await web.stores.alerts.explain(
    crisis.projectId,
    crisis.id,
    {
      notifyCount: 1,
      since: crisis.openedAt - 30 * MINUTE,
      largest: null,
      looked: { now: 62, before: 40 },
      authors: { count: 58, loudest: [{ name: "<img src=x>", mentions: 9 }] },
      reposts: { now: 0, before: 0 },
      negative: null,
      topics: [],
      domains: [],
      words: ["<script>"],
      completeUntil: null,
      chart: {
        counted: "negative mentions in 15 min",
        columnMs: 15 * MINUTE,
        columns: Array.from({ length: 96 }, (_, i) => ({
          at: crisis.openedAt - (96 - i) * 15 * MINUTE,
          count: i,
          expected: 5,
          ordinary: 12,
        })),
      },
    },
    0,
  );
  const { body } = await get(`/alerts/${crisis.id}`);
  expect(body).toContain("58 authors; most by &lt;img src=x&gt; (9)");
  expect(body).not.toContain("<script>,");
  for (const theme of ["light", "dark"]) {
    expect(body).toContain(`/alerts/${crisis.id}/chart-${theme}.svg`);
    const chart = await get(`/alerts/${crisis.id}/chart-${theme}.svg`);
    expect(chart.status).toBe(200);
    expect(chart.headers.get("content-type")).toContain("image/svg+xml");
    expect(chart.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(chart.body).toMatch(/^<svg /);
  }
  expect((await get(`/alerts/${single.id}`)).body).not.toContain("alert-chart");
  for (const path of [
    `${single.id}/chart-light.svg`,
    `${crisis.id}/chart-pink.svg`,
    "nobody/chart-light.svg",
  ])
    expect((await get(`/alerts/${path}`)).status).toBe(404);
});

test("alerts can be listed by state", async () => {
  const resolved = (await get("/alerts?state=resolved")).body;
  expect(resolved).toContain(firstClause(story.over));
  expect(resolved).not.toContain(firstClause(story.crisis));
  expect((await get("/alerts?state=nonsense")).status).toBe(200);
});

test("mentions can be filtered, and paged through without losing or repeating one", async () => {
  const seen: string[] = [];
  let before = NOW;
  let path: string | undefined = "/mentions.json?query=1&sentiment=negative";
  while (path !== undefined) {
    const listing = JSON.parse((await get(path)).body) as {
      mentions: { mention: { resourceId: string; sentiment: string; queryId: string }; eventAt: number }[];
      next: { moment: number; queryId: string; resourceId: string } | null;
    };
    for (const { mention, eventAt } of listing.mentions) {
      expect(eventAt).toBeLessThanOrEqual(before);
      before = eventAt;
      expect(mention).toMatchObject({ sentiment: "negative", queryId: "1" });
      seen.push(mention.resourceId);
    }
    const after: string | null =
      listing.next &&
      Buffer.from(
        JSON.stringify([listing.next.moment, listing.next.queryId, listing.next.resourceId]),
      ).toString("base64url");
    path = after === null ? undefined : `/mentions.json?query=1&sentiment=negative&after=${after}`;
  }
  const stored = await web.stores.mentions.inWindow("7", "1", 0, NOW + MINUTE, 10_000);
  const negative = stored.filter(({ mention }) => mention.sentiment === "negative");
  expect(seen).toHaveLength(negative.length);
  expect(new Set(seen)).toEqual(new Set(negative.map(({ mention }) => mention.resourceId)));
});

test("signs that mean something to a search in the database mean themselves", async () => {
  expect((await get("/mentions?contains=%25")).body).toContain("No mention fits.");
  expect((await get("/mentions?contains=%24%7Balert")).body).toContain("constructor.constructor");
});

test("no address of ours becomes a link to another host", async () => {
  for (const path of ["//", "//evil.example/x?live=on", "/\\evil.example"]) {
    const { status, body } = await get(path);
    expect(status).toBe(404);
    expect(body).not.toMatch(/href="[/\\]{2}/);
  }
});

test("a nonsensical question is answered like none", async () => {
  for (const path of [
    "/mentions?after=%00%00&sentiment=zzz&query=",
    "/mentions?after=WzFlOTk5LCJhIiwiYiJd",
    "/alerts?after=1_nonsense",
    `/alerts?after=1_${"-".repeat(36)}`,
    "/alerts?after=9999999999999999_019cb3d1-0000-7000-8000-000000000000",
    "/mentions?query=%00&query=a",
    "/mentions?contains=a&contains=b",
    "/inbox?place=slack%3Anowhere",
  ]) {
    expect((await get(path)).status).toBe(200);
  }
  expect((await get("/alerts/nonsense")).status).toBe(404);
  expect((await get("/alerts/019cb3d1-0000-7000-8000-000000000000")).status).toBe(404);
  expect((await get("/nowhere")).body).toContain("There is nothing here");
  expect((await get("/?part=nonsense")).status).toBe(404);
});

test("coverage shows how far each query is complete, failures, gaps, and dead letters", async () => {
  const { body } = await get("/health");
  expect(body).toContain("the source answered 503 Service Unavailable");
  expect(body).toContain("the date of addition is missing");
  expect(body).toContain('<strong class="fault">3</strong>');
  expect(body).toContain("not polled yet");
});

test("coverage shows which rules are still learning and until when, and no panel where none is", async () => {
  const { body } = await get("/health");
  expect(body).toContain('<h2 id="h-learning">Still learning</h2>');
  expect(body).toMatch(/&lt;b&gt;Acme.*gone-quiet.*negative mentions.*1 more day.*4 Mar/s);
  expect(JSON.parse((await get("/coverage.json")).body)).toMatchObject({ warmingUp: [LEARNER] });
  const unused = () => expect.fail("there is nothing to show");
  expect(warmUpPart([], { moment: unused, titleOf: unused })).toBeNull();
});

test("a channel that has to wait is shown with its reason at the receivers, and else not", async () => {
  const words =
    'paused for 30s</span>: <span dir="auto">Slack asks us to wait &lt;30s&gt;</span>; 4 messages wait';
  expect(onOneLine((await get("/health")).body)).toContain(words);
  await web.stores.notifications.saveEntries([
    {
      projectId: story.crisis.projectId,
      alertId: story.crisis.id,
      receiver: "comms-slack",
      entry: { lastNotified: null, last: "FirstNotification" },
      nextAt: null,
    },
  ]);
  expect(onOneLine((await get(`/alerts/${story.crisis.id}`)).body)).toContain(words);
  expect(JSON.parse((await get("/coverage.json")).body)).toMatchObject({ waits: [WAIT] });
  expect(waitsPanel([])).toBeNull();
});

test("programs get the same facts as JSON", async () => {
  const response = await fetch(`${web.url}/alerts/${story.crisis.id}`, {
    headers: { accept: "application/json" },
  });
  const answer = (await response.json()) as { alert: Alert; events: unknown[] };
  expect(answer.alert).toEqual(story.crisis);
  expect(answer.events).toHaveLength(3);
  expect(JSON.parse((await get("/overview.json")).body)).toHaveProperty("volume");
});

test("messages are shown as their readers see them, emails in a frame that does nothing", async () => {
  web.inbox.push(slackMessage("2", "1", "an answer"), slackMessage("1", null, "the first word <b>"), {
    ...mailMessage("mail/1"),
    html: `<html><head></head><body><script>parent.document.title = "owned"</script>Hello</body></html>`,
  });
  const channel = (await get("/inbox")).body;
  expect(channel.indexOf("the first word &lt;b>")).toBeLessThan(channel.indexOf("an answer"));
  expect(channel).toContain('<ol class="thread"');
  const mail = (await get("/inbox?place=email%3Apress%40example.com")).body;
  expect(mail).toContain("Subject &lt;i&gt;");
  expect(mail).toContain('src="/inbox/email/mail%2F1/html"');
  const frame = await get("/inbox/email/mail%2F1/html");
  expect(frame.body).toContain('<base target="_blank">');
  expect(frame.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'unsafe-inline'; img-src data: cid:; .*sandbox/,
  );
});

test("the picture of a mail is shown where its HTML asks for it, and nowhere else", async () => {
  const png = new Uint8Array([1, 2, 3]);
  web.files.set("M0123456789", { type: "image/png", bytes: png });
  web.files.set("M0000000000", { type: "text/html", bytes: png });
  web.inbox.unshift({
    ...mailMessage("mail/2"),
    html: '<head></head><img src="cid:chart@earshot"><img src="cid:other"><img src="cid:page">cid:chart@earshot',
    pictures: [
      { cid: "chart@earshot", file: "M0123456789" },
      { cid: "page", file: "M0000000000" },
    ],
  });
  const { body } = await get("/inbox/email/mail%2F2/html");
  expect(body).toContain(
    '<img src="data:image/png;base64,AQID"><img src="cid:other"><img src="cid:page">cid:chart@earshot',
  );
});

test("a picture of a message is shown, and nothing else that was uploaded", async () => {
  web.files.set("F0123456789", { type: "image/png", bytes: new Uint8Array([1, 2, 3]) });
  web.files.set("F0000000000", { type: "application/octet-stream", bytes: new Uint8Array([1]) });
  const reply = {
    ...slackMessage("4", "1", ""),
    blocks: [],
    files: [{ id: "F0123456789", title: `Chart "<b>` }],
  };
  web.inbox.unshift(reply);
  const page = (await get("/inbox")).body;
  expect(page).toContain('src="/inbox/files/F0123456789" alt="Chart ');
  expect(page).not.toContain('Chart "');
  expect(page).not.toContain("<b>");
  const picture = await fetch(`${web.url}/inbox/files/F0123456789`);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(new Uint8Array(await picture.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
  for (const id of ["F0000000000", "F1111111111", "..%2Fsecret"])
    expect((await get(`/inbox/files/${id}`)).status).toBe(404);
});

test("a name that is not this machine's is not answered", async () => {
  const { request } = await import("undici");
  for (const [host, status] of [
    ["evil.example", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost:1234", 200],
    ["[::1]:80", 200],
  ] as const) {
    const answer = await request(`${web.url}/healthz`, { headers: { host } });
    await answer.body.dump();
    expect(answer.statusCode).toBe(status);
  }
});

test("an incident says who its alerts are about, and of alerts on counts, why they fired", async () => {
  const { crisis, single } = story;
  const incident = await makeAnIncident(web.stores, crisis, [single]);
  const { body } = await get(`/incidents/${incident.id}`);
  const itemOf = ({ id }: Alert) =>
    onOneLine(body.slice(body.lastIndexOf(`/alerts/${id}`)).split("</li>")[0] ?? "");
  expect(itemOf(single)).toMatch(/<strong>.*Daily Courier.*<\/strong> \(1\.2m followers\): /);
  expect(itemOf(single)).not.toContain("limit 50,000");
  expect(itemOf(crisis)).toContain(firstClause(crisis));
});

test("health, readiness and gauges are there for machines", async () => {
  expect((await get("/healthz")).body).toBe("ok\n");
  expect((await get("/readyz")).body).toBe("database: ok\n");
  const metrics = (await get("/metrics")).body;
  expect(metrics).toContain("earshot_open_alerts 2");
  expect(metrics).toMatch(/earshot_query_lag_seconds\{.*query="1".*\} 60\n/);
  expect(metrics).toContain(
    'earshot_deliveries_24h{receiver="on-call-mail",outcome="failed",reason="smtp_451"} 1',
  );
  expect(metrics).toMatch(/earshot_deliveries_24h\{receiver="[^"]+",outcome="sent",reason="none"\} \d/);
  for (const line of metrics.split("\n").filter((one) => one !== ""))
    expect(line).toMatch(/^(# (HELP|TYPE) earshot_\w+ .+|earshot_\w+(\{.*\})? -?[\d.e+]+)$/);
});

test("without the database, metrics say that alone, and no answer says what broke inside", async () => {
  let ok = false;
  const away = await startTestConsole(NOW, {
    deps: { health: { ready: async () => [{ name: "database", ok }] } },
  });
  try {
    await away.database.close();
    const scraped = await fetch(`${away.url}/metrics`);
    expect([scraped.status, (await scraped.text()).match(/^[^#].*$/gm)]).toEqual([200, ["earshot_ready 0"]]);
    ok = true;
    const failed = await fetch(`${away.url}/metrics`);
    expect([failed.status, await failed.json()]).toEqual([500, { error: "This page could not be made" }]);
  } finally {
    await away.close();
  }
});

function mailMessage(id: string): EmailMessage {
  return {
    kind: "email",
    id,
    receivedAt: NOW,
    from: "earshot@example.com",
    to: ["press@example.com"],
    subject: "Subject <i>",
    messageId: null,
    headers: [{ name: "X-Odd", value: "<u>" }],
    text: "plain <s>",
    html: null,
  };
}

function slackMessage(ts: string, threadTs: string | null, text: string) {
  return {
    kind: "slack" as const,
    id: `C1:${ts}`,
    receivedAt: NOW,
    channel: "C1",
    channelName: "alerts",
    ts,
    threadTs,
    text,
    blocks: [],
    editedAt: null,
  };
}
