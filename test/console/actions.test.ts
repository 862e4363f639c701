import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DAY } from "../../src/lib/instant.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { type AlertLink, signAlertLink } from "../../src/monitor/model/alert-action.ts";
import { anAlert, makeAStory } from "./make-a-story.ts";
import { SECRET, startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
let web: TestConsole;
let alert: Alert;
let count = 0;

beforeAll(async () => {
  web = await startTestConsole(NOW, { settings: { login: { username: "team", password: "correct horse" } } });
  await makeAStory(web.stores, NOW);
});
afterAll(() => web.close());
beforeEach(async () => {
  alert = anAlert({ openedAt: NOW - 60_000 * ++count, fingerprint: `f${count}` });
  await web.stores.alerts.save([alert]);
});

const BASIC = `Basic ${Buffer.from("team:correct horse").toString("base64")}`;
const ask = (path: string, headers: Record<string, string> = {}, form?: Record<string, string>) =>
  fetch(`${web.url}${path}`, {
    redirect: "manual",
    headers: { accept: "text/html", ...headers },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });

/** The token of the forms of a page, and the cookie that it belongs to. */
async function formOf(path: string): Promise<{ token: string; cookie: string }> {
  const page = await ask(path, { authorization: BASIC });
  const token = /name="token" value="([^"]+)"/.exec(
    (await page.text()).split('<main id="main"')[1] ?? "",
  )?.[1];
  return { token: token ?? "", cookie: page.headers.get("set-cookie")?.split(";", 1)[0] ?? "" };
}
const stateOf = async () => (await web.stores.alerts.find(alert.projectId, alert.id))?.state;
const historyOf = async () =>
  (await web.stores.alerts.events(alert.projectId, alert.id)).map(({ what, detail }) => `${what} ${detail}`);

test("an alert is acknowledged on its page, by the name that was given, and a second time changes nothing", async () => {
  const { token, cookie } = await formOf(`/alerts/${alert.id}`);
  const post = () =>
    ask(`/alerts/${alert.id}/act`, { authorization: BASIC, cookie }, { token, do: "acknowledge", by: "Ann" });
  const done = await post();
  expect([done.status, done.headers.get("location")]).toEqual([303, `/alerts/${alert.id}`]);
  expect(await stateOf()).toBe("acknowledged");
  expect(await historyOf()).toEqual(['AcknowledgedBy by team, as "Ann"']);
  const again = await post();
  expect([again.status, await again.text()]).toEqual([
    409,
    expect.stringContaining("team, as &quot;Ann&quot; has acknowledged it"),
  ]);
});

test("a form without its cookie, with another token, or sent by another site changes nothing", async () => {
  const { token, cookie } = await formOf(`/alerts/${alert.id}`);
  const path = `/alerts/${alert.id}/act`;
  const form = { token, do: "resolve", by: "" };
  for (const [headers, sent] of [
    [{}, form],
    [{ cookie }, { ...form, token: "x" }],
    [{ cookie, "sec-fetch-site": "cross-site" }, form],
  ] as const) {
    expect((await ask(path, { authorization: BASIC, ...headers }, sent)).status).toBe(403);
  }
  expect([303, 401]).toContain((await ask(path, { cookie }, form)).status);
  expect(await stateOf()).toBe("firing");
});

test("an action without a name is signed by the login", async () => {
  const { token, cookie } = await formOf(`/alerts/${alert.id}`);
  await ask(
    `/alerts/${alert.id}/act`,
    { authorization: BASIC, cookie },
    { token, do: "assign", to: "Bo <b>" },
  );
  expect(await historyOf()).toEqual(["AssignedBy by team, to Bo <b>"]);
  const page = await (await ask(`/alerts/${alert.id}`, { authorization: BASIC })).text();
  expect(page).toContain("assigned to <bdi>Bo &lt;b&gt;</bdi>");
});

test("a silence is made and ended on the page", async () => {
  const { token, cookie } = await formOf("/silences");
  const headers = { authorization: BASIC, cookie };
  const form = { token, query: "Aurora*", rule: "", length: "4h", comment: "<b>strike</b>", by: "Ann" };
  expect((await ask("/silences", headers, form)).status).toBe(303);
  expect((await ask("/silences", headers, { ...form, query: "" })).status).toBe(400);
  const [silence] = await web.stores.silences.list(NOW, false);
  expect(silence).toMatchObject({
    match: { query: ["Aurora*"] },
    author: 'team, as "Ann"',
    actor: { via: "page", login: "team", typed: "Ann" },
    endsAt: NOW + 4 * 3_600_000,
  });
  expect(await (await ask("/silences", headers)).text()).toContain("&lt;b&gt;strike");
  await ask(`/silences/${silence?.id}/expire`, headers, { token, by: "Bo" });
  expect(await web.stores.silences.list(NOW, false)).toEqual([]);
});

test("a silence for certain times of the week keeps to a time zone, and says what is wrong with its times", async () => {
  const { token, cookie } = await formOf("/silences");
  const headers = { authorization: BASIC, cookie };
  const form = {
    token,
    rule: "volume-*",
    severity: "below-critical",
    label: "author=bot*",
    recurringLength: "90d",
  };
  const nights = { from: "22:00", to: "07:00", timezone: "Asia/Kolkata", days: "fri" };
  const refused = async (times: Record<string, string>) => {
    const answer = await ask("/silences", headers, { ...form, ...nights, ...times });
    return [answer.status, /<h1>([^<]*)/.exec(await answer.text())?.[1]];
  };
  expect(await refused({ timezone: "Mars/Olympus" })).toEqual([400, expect.stringContaining("time zone: ")]);
  expect(await refused({ to: "22:00" })).toEqual([400, expect.stringContaining("the times would be empty")]);
  expect(await refused({ to: "" })).toEqual([400, expect.stringContaining("to: ")]);
  expect(await refused({ label: "bot*" })).toEqual([
    400,
    expect.stringContaining("a label is written as name=value"),
  ]);
  expect((await ask("/silences", headers, { ...form, ...nights })).status).toBe(303);
  const [silence] = await web.stores.silences.list(NOW, false);
  expect(silence).toMatchObject({
    match: { rule: ["volume-*"], labels: { author: ["bot*"] }, not: { severity: "critical" } },
    endsAt: NOW + 90 * DAY,
    windows: [{ timezone: "Asia/Kolkata", from: 22 * 60, to: 7 * 60, days: ["fri"] }],
  });
  const page = await (await ask("/silences", headers)).text();
  expect(page).toContain("only fri 22:00–07:00 Asia/Kolkata");
  expect(page).toContain("waits for its hours, until");
  await ask(`/silences/${silence?.id}/expire`, headers, { token, by: "Bo" });
});

const linkTo = (action: AlertLink["action"], at = NOW) =>
  `/act/${signAlertLink(SECRET, { alertId: alert.id, action, by: "on-call" }, at)}`;

test("a link of a mail needs no login, does nothing when it is opened, and acts when its button is clicked", async () => {
  const path = linkTo("acknowledge");
  const page = await ask(path);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Acknowledge")]);
  expect(await stateOf()).toBe("firing");
  expect((await ask(path, {}, {})).status).toBe(200);
  expect(await stateOf()).toBe("acknowledged");
  expect(await historyOf()).toEqual(["AcknowledgedBy by on-call (by mail)"]);
  expect((await ask(path, {}, {})).status).toBe(409);
});

test("a link of a mail asks for the assignee, and assigns the alert", async () => {
  const path = linkTo("assign");
  expect(await (await ask(path)).text()).toContain('<input name="to"');
  const nobody = await ask(path, {}, { to: " " });
  expect([nobody.status, await nobody.text()]).toEqual([
    409,
    expect.stringContaining("enter the name of the assignee"),
  ]);
  expect((await ask(path, {}, { to: "Cy <b>" })).status).toBe(200);
  expect(await historyOf()).toEqual(["AssignedBy by on-call (by mail), to Cy <b>"]);
});

test("a link that was changed, signed by somebody else or is a week old does nothing", async () => {
  const good = linkTo("resolve");
  const forged = signAlertLink("another", { alertId: alert.id, action: "resolve", by: "on-call" }, NOW);
  for (const path of [
    `${good}x`,
    good.replace("/act/", "/act/e"),
    `/act/${forged}`,
    linkTo("resolve", NOW - 7 * DAY),
    "/act/x",
  ]) {
    expect((await ask(path)).status).toBe(410);
    expect((await ask(path, {}, {})).status).toBe(410);
  }
  expect(await stateOf()).toBe("firing");
});

test("chosen alerts of the list are acknowledged or silenced at once, and what was not done is said", async () => {
  const other = anAlert({ openedAt: NOW - 60_000 * ++count, fingerprint: `f${count}` });
  await web.stores.alerts.save([other]);
  const { token, cookie } = await formOf("/alerts?state=all");
  const press = (fields: readonly [string, string][], by: Record<string, string> = {}) =>
    fetch(`${web.url}/alerts/work`, {
      ...{ method: "POST", redirect: "manual" },
      headers: { accept: "text/html", authorization: BASIC, cookie, ...by },
      body: new URLSearchParams([["token", token], ["by", "Ann"], ["back", "/alerts?state=all"], ...fields]),
    });
  const script = { "hx-request": "true" };
  const both: [string, string][] = [alert, other].map(({ id }) => ["alert", id]);
  const first = await press([["do", "acknowledge"], both[0] ?? ["", ""]], script);
  expect([first.headers.get("hx-trigger"), await first.text()]).toEqual([
    "worked",
    `<p class="notice"><bdi>1 alert acknowledged.</bdi></p>`,
  ]);
  expect(await historyOf()).toEqual(['AcknowledgedBy by team, as "Ann"']);
  const again = await (await press([["do", "acknowledge"], ...both], script)).text();
  expect(again).toMatch(/1 alert acknowledged\. Aurora Air: .*has acknowledged it\./);
  const nothing = await press([["do", "acknowledge"], ...both]);
  expect([nothing.status, await nothing.text()]).toEqual([
    409,
    expect.stringContaining("Nothing was changed."),
  ]);
  const silenced = await press([["do", "silence"], ...both]);
  expect([silenced.status, silenced.headers.get("location")]).toEqual([303, "/alerts?state=all"]);
  expect((await historyOf()).at(-1)).toMatch(/^Silenced/);
  for (const fields of [
    [["do", "acknowledge"]],
    [["do", "resolve"], ...both],
    [
      ["do", "silence"],
      ["alert", "x"],
    ],
  ])
    expect((await press(fields as [string, string][])).status).toBe(400);
  const elsewhere = await press([["do", "silence"], ...both, ["back", "//evil.example"]]);
  expect(elsewhere.headers.get("location") ?? "/alerts").toMatch(/^\/alerts/);
});
