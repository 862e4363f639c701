import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readMatch } from "../../src/cli/alerts/read-match.ts";
import { readWindow } from "../../src/cli/alerts/read-window.ts";
import { UserError } from "../../src/lib/errors.ts";
import { HOUR } from "../../src/lib/instant.ts";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { OWN_QUERY } from "../../src/monitor/model/query.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { formatTime } from "../../src/monitor/templates/formatters.ts";
import { anAlert, makeAStory, pending } from "../console/make-a-story.ts";
import { useStores } from "../use-stores.ts";
import { printOf } from "./run-command.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const alert = anAlert({ openedAt: NOW - HOUR, fingerprint: "shell" });
const { url, database, stores } = await useStores({ onError: () => {} });
const empty = await useStores({ onError: () => {} });
let home: string;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  await makeAStory(stores, NOW);
  await stores.alerts.save([alert]);
  const notification = pending(alert);
  await stores.notifications.addPending([notification]);
  await stores.notifications.saveEntries([
    {
      projectId: alert.projectId,
      alertId: alert.id,
      receiver: "comms-slack",
      entry: { lastNotified: null, last: "HeldByQuietHours" },
      nextAt: NOW + HOUR,
    },
  ]);
  const claimed = await stores.notifications.claim(alert.projectId, notification.id);
  if (claimed !== null)
    await stores.notifications.markFailed(
      claimed,
      { code: "not_in_channel", detail: "Slack answered not_in_channel" },
      null,
    );
  home = await mkdtemp(join(tmpdir(), "earshot-alerts-"));
});
afterAll(async () => {
  await rm(home, { recursive: true });
});

const earshot = (...words: string[]) => printOf(words, { DATABASE_URL: url, EARSHOT_HOME: home });

test("an alert is listed, assigned and called not relevant, and the precision of its rule says so", async () => {
  expect(await earshot("alerts")).toContain(alert.id.slice(0, 23));
  expect(await earshot("alerts", "assign", alert.id.slice(0, 23), "Ann", "--by", "Bo")).toBe(
    `Aurora Air, crisis-spike: acknowledged (by ${userInfo().username}, as "Bo", to Ann)`,
  );
  await expect(earshot("alerts", "assign", alert.id, "Ann")).rejects.toThrow("Ann has it already");
  await earshot("alerts", "not-relevant", `https://earshot.example/alerts/${alert.id}`, "--by", "Ann");
  const rules = JSON.parse(await earshot("alerts", "precision", "--last", "1000d", "--json"));
  expect(rules).toContainEqual(expect.objectContaining({ rule: "crisis-spike", notRelevant: 1 }));
  await expect(earshot("alerts", "ack", "0000000")).rejects.toThrow('there is no alert "0000000"');
});

test("an empty list says what there is none of", async () => {
  const list = (states: string) =>
    printOf(["alerts", "list", "--states", states], { DATABASE_URL: empty.url, EARSHOT_HOME: home });
  expect([await list("open"), await list("resolved"), await list("all")]).toEqual([
    "No alert is open.",
    "No alert is resolved.",
    "There is no alert.",
  ]);
});

test("each listed id names one alert, also of those that opened in one millisecond", async () => {
  const openedAt = NOW - 2 * HOUR;
  const together = ["volume-spike", "negative-share-surge", "crisis-spike", "safety-category"].map((rule) =>
    anAlert({ openedAt, rule, fingerprint: `together ${rule}` }),
  );
  // One of them is resolved, and not in the list: an id that is typed may mean it, too.
  const [first, ...open] = together;
  await stores.alerts.save([
    ...open,
    ...(first === undefined ? [] : [{ ...first, state: "resolved" as const, resolvedAt: NOW }]),
  ]);
  const rows = (await earshot("alerts"))
    .split("\n")
    .filter((row) => row.includes(open[0]?.id.slice(0, 13) ?? "?"));
  const ids = rows.map((row) => row.trim().split(/\s+/)[0] ?? "");
  expect(ids).toHaveLength(3);
  for (const id of ids) expect(await stores.alerts.findByPrefix(id)).toHaveLength(1);
  const shared = open[0]?.id.slice(0, 13) ?? "";
  await expect(earshot("alerts", "ack", shared)).rejects.toMatchObject({
    message: expect.stringContaining("more than one alert begins with"),
    details: expect.arrayContaining(together.map(({ id }) => expect.stringContaining(id))),
  });
});

test("why prints the rule's measurements, the state of each receiver, and the answer of each delivery", async () => {
  const text = await earshot("why", alert.id, "--rules", "rules");
  for (const part of [
    "212 mentions in an hour",
    "observed 212",
    "comms-slack",
    "it could not be delivered: ",
    "; now held by quiet hours, checked again Tue 3 Mar, 13:05 UTC [HeldByQuietHours]",
    "fired in 30 days",
    "attempt 1: dead: Slack answered not_in_channel",
  ]) {
    expect(text).toContain(part);
  }
  const explained = JSON.parse(await earshot("why", alert.id, "--rules", "rules", "--json"));
  expect(explained).toMatchObject({ alert: { id: alert.id }, receivers: [{ receiver: "comms-slack" }] });
});

test("why shows since when an alert is in its state, and explains alerts about Earshot itself", async () => {
  const one = anAlert({ openedAt: NOW - 5 * HOUR, fingerprint: "moments" });
  await stores.alerts.save([one]);
  await earshot("alerts", "ack", one.id);
  const history = await stores.alerts.events(one.projectId, one.id);
  const at = formatTime(history.at(-1)?.at ?? 0, "UTC");
  expect(await earshot("why", one.id, "--rules", "rules")).toContain(`acknowledged since ${at}, opened `);
  await stores.alerts.save([{ ...one, state: "resolved", resolvedAt: NOW - HOUR }]);
  const ended = formatTime(NOW - HOUR, "UTC");
  expect(await earshot("why", one.id, "--rules", "rules")).toContain(`resolved since ${ended}, opened `);
  const { projectId, queryId, name: queryName } = OWN_QUERY;
  const own = anAlert({
    openedAt: NOW - HOUR,
    projectId,
    queryId,
    queryName,
    rule: "source-refuses",
    fingerprint: "o",
  });
  await stores.alerts.save([own]);
  const text = await earshot("why", own.id, "--rules", "rules");
  expect(text).toContain("rule: The source refuses our login");
  expect(text).not.toContain("the rule is there no longer");
});

test("why shows the vendor's answer to an accepted message", async () => {
  const one = anAlert({ openedAt: NOW - 2 * HOUR, fingerprint: "answered" });
  await stores.alerts.save([one]);
  const refs = [
    { answer: "250 2.0.0 queued as 4F1", messageId: "<1@example.com>" },
    { channel: "C01", ts: "1.000001" },
    { status: "202" },
  ];
  for (const ref of refs) {
    const notification = pending(one);
    await stores.notifications.addPending([notification]);
    const claimed = await stores.notifications.claim(one.projectId, notification.id);
    if (claimed !== null) await stores.notifications.markSent(claimed, NOW, ref as Record<string, string>);
  }
  const text = await earshot("why", one.id, "--rules", "rules");
  for (const said of ["250 2.0.0 queued as 4F1", "message 1.000001 in C01", "HTTP 202"])
    expect(text).toContain(`attempt 1: sent: ${said}`);
});

test("a message about a stored alert is previewed by the letters of its id that lists show", async () => {
  const folder = join(home, "shown");
  const id = alert.id.slice(0, 23);
  const files = await earshot("preview", "email/alert.txt", "--alert", id, "--out", folder);
  expect(files).toBe(join(folder, `email-alert-${alert.id}.txt`));
  const missing = earshot("preview", "alert", "--alert", "0000000", "--out", folder);
  await expect(missing).rejects.toThrow('there is no alert "0000000"');
});

test("why of a mention shows every rule on its query, and its alert", async () => {
  const text = await earshot("why", "courier-1", "--rules", "rules");
  expect(text).toContain("Mention courier-1 in Kestrel Mobile");
  expect(text).toMatch(/large-account-negative +met .*1,204,000 followers.* \(alert /);
  expect(text).toMatch(
    /safety-category +not alerted: its category is Outage, the rule wants .*\[ConditionNotMet\]/,
  );
});

test("why of a mention that is not stored, and of a text, says of each query what is known", async () => {
  const text = await earshot("why", "nothing-like-it", "--no-ask", "--rules", "rules");
  expect(text).toContain('No mention "nothing-like-it" is stored');
  expect(text).toMatch(/Kestrel Mobile +it is not stored\. The source was not asked\. .*\[SourceCannotSay\]/);
  const json = JSON.parse(await earshot("why", "nothing-like-it", "--no-ask", "--json"));
  expect(json).toMatchObject({ asked: "nothing-like-it", withheld: [], rules: null });
  expect(json.queries[0]).toMatchObject({ outcome: "SourceCannotSay", part: null });
  const pasted = await earshot("why", "--text", "A recall\u001b[2J", "--no-ask", "--rules", "rules");
  expect(pasted).toContain("What the rules would make of it alone");
  expect(pasted).not.toContain("\u001b");
  await expect(earshot("why", "--rules", "rules")).rejects.toThrow("say what to explain");
});

test("an alert silenced in the shell is sent when it becomes more severe, and is listed by its name", async () => {
  const one = anAlert({ openedAt: NOW - HOUR, severity: "warning", rule: "volume", fingerprint: "silenced" });
  await stores.alerts.save([one]);
  const added = JSON.parse(await earshot("silence", "add", "--alert", one.id, "--json"));
  expect(added.match).toEqual({ fingerprint: "silenced", not: { severity: "critical" } });
  const list = await earshot("silence", "list");
  expect(list).toContain("alert Aurora Air, volume, not severity critical or higher");
  expect(list).not.toContain("silenced,");
  await earshot("silence", "expire", added.id);
  await stores.alerts.save([{ ...one, state: "resolved", resolvedAt: NOW }]);
  await expect(earshot("silence", "add", "--alert", one.id)).rejects.toThrow("that alert is resolved");
});

test("a silence is added with matchers and weekly windows, listed, and ended", async () => {
  const added = await earshot(
    ...["silence", "add", "--match", "rule=volume-*", "--match", "severity!=critical", "--for", "90d"],
    ...["--every", "mon-fri 22:00-07:00 Europe/Berlin", "--comment", "nights", "--by", "Ann", "--json"],
  );
  const { id } = JSON.parse(added);
  expect(await earshot("silence", "list")).toMatch(
    /rule volume-\*, not severity critical or higher .*mon, tue, wed/,
  );
  expect(await earshot("silence", "expire", id.slice(0, 20))).toContain("ended:");
  expect(await earshot("silence", "list")).toBe("Nothing is silenced.");
  await expect(earshot("silence", "add", "--for", "91d", "--match", "query=*")).rejects.toThrow(
    "from 1m to 90d",
  );
  await expect(earshot("silence", "add", "--match", "auther=bot*", "--rules", "rules")).rejects.toThrow(
    `no rule gives a label "auther" — did you mean "author"?`,
  );
  await expect(earshot("silence", "add")).rejects.toThrow("needs --match or --alert");
});

test("a silence that never applies, or of an unknown query, is refused", async () => {
  const add = (...words: string[]) => earshot("silence", "add", "--rules", "rules", ...words);
  await expect(add("--match", "query=Arora Air")).rejects.toThrow(
    'no query "Arora Air" is watched — did you mean "Aurora Air"?',
  );
  await expect(add("--match", "query!=Nobody Has It")).rejects.toThrow('no query "Nobody Has It" is watched');
  // Three hours from now on, for an hour.
  const clock = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString().slice(11, 16);
  const later = `${clock(3)}-${clock(4)} UTC`;
  await expect(add("--match", "query=*", "--every", later, "--for", "1h")).rejects.toThrow("never occurs");
  for (const query of ["aurora air", "1", "Aur*", "Earshot"])
    await add("--match", `query=${query}`, "--for", "1m");

  const said = await add("--match", "query=*", "--every", later);
  expect(said).toMatch(/^silenced until .* UTC, only \d\d:\d\d–\d\d:\d\d UTC: query \* \(/);
  const [silence] = await stores.silences.findByPrefix(/\(([0-9a-f-]{36})\)$/.exec(said)?.[1] ?? "");
  expect((silence?.endsAt ?? 0) - (silence?.startsAt ?? 0)).toBe(7 * 24 * HOUR);
  expect(await earshot("silence", "list")).toMatch(/waits for its hours .*UTC/);
  await expect(earshot("silence", "expire", "01a2")).rejects.toThrow("give the first 6 characters");
  await database.db.deleteFrom("earshot.silences" as never).execute();
});

test("an empty assignee is refused, and a name is one line", async () => {
  const one = { ...anAlert({ openedAt: NOW - HOUR, fingerprint: "taken" }), id: uuid7(NOW) };
  await stores.alerts.save([one]);
  for (const nobody of ["", "  ", "\n"])
    await expect(earshot("alerts", "assign", one.id, nobody)).rejects.toThrow("name an assignee");
  await earshot("alerts", "assign", one.id, "Ann\n\u001b[31m Lee");
  const [, taken] = [0, (await stores.alerts.find(one.projectId, one.id))?.handling?.assignee];
  expect(taken).toMatch(/^Ann.*Lee$/);
  expect(taken).not.toMatch(/\p{Cc}/u);
});

test.each(["abc", "0", "-3", "1.5"])("--limit %s is no number of alerts", async (limit) => {
  await expect(earshot("alerts", "--limit", limit)).rejects.toThrow("Expected a number of 1 or more");
});

test.each([
  ["22:00-07:00 UTC", 7],
  ["fri-mon 00:00-24:00 Asia/Kolkata", 4],
  ["sat,sun 08:00-09:30 UTC", 2],
])("%s is a window on %i days", (text, days) => {
  expect(readWindow(text).days).toHaveLength(days);
});

test.each([
  "",
  "always",
  "mon-fri 22:00-07:00",
  "mon-fri 25:00-07:00 UTC",
  "abc 22:00-07:00 UTC",
  "22:00-22:00 UTC",
  "22:00-07:00 +02:00",
])("%j is no window", (text) => {
  expect(() => readWindow(text)).toThrow(UserError);
});

test.each(["", "rule", "=x", "severity=fatal"])("%j is no matcher", (text) => {
  expect(() => readMatch([text])).toThrow(UserError);
});
