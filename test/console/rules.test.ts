import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSimulation } from "../../src/lab/backtest/simulate.ts";
import { LEARN_MS, storedMentions } from "../../src/lab/backtest/stored-mentions.ts";
import { DAY, HOUR } from "../../src/lib/instant.ts";
import { loadRules, ruleVersion } from "../../src/monitor/rules/load-rules.ts";
import { parseRule } from "../../src/monitor/rules/parse-rule.ts";
import { toComms } from "../lab/backtest/notify-config.ts";
import { ATTACKS, anAlert } from "./make-a-story.ts";
import { SPIKE_RULE, storeWeeks } from "./rule-stories.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const LOGIN = { username: "ann", password: "correct horse" };
const BASIC = `Basic ${Buffer.from("ann:correct horse").toString("base64")}`;
const ROUTES = toComms();
let folder: string;
let web: TestConsole;
let token: string;
let cookie: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-test-rules-"));
  await cp("rules", folder, { recursive: true });
  await writeFile(join(folder, "complaints.yaml"), SPIKE_RULE);
  web = await startTestConsole(NOW, {
    folder,
    notifyConfig: ROUTES,
    settings: { login: LOGIN, editRules: true, admins: ["ann"] },
    reload: async () =>
      `Taken up with at least ${/^ *atLeast: (\d+)/m.exec(await fileOf("complaints"))?.[1]}.`,
  });
  await storeWeeks(web.stores, NOW);
  ({ token, cookie } = await formOf(web));
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => writeFile(join(folder, "complaints.yaml"), SPIKE_RULE));

const ask = (path: string, init: RequestInit = {}, of = web) =>
  fetch(`${of.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { accept: "text/html", authorization: BASIC, ...init.headers },
  });

async function formOf(of: TestConsole) {
  const page = await ask("/rules/try", {}, of);
  return {
    token:
      /name="token" value="([^"]+)"/.exec((await page.text()).split('<main id="main"')[1] ?? "")?.[1] ?? "",
    cookie: page.headers.get("set-cookie")?.split(";", 1)[0] ?? "",
  };
}

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(path, {
    method: "POST",
    body: new URLSearchParams({ token, mode: "yaml", ...fields }),
    headers: { cookie, ...headers },
  });
const attempt = async (text: string, fields: Record<string, string> = {}) =>
  (
    await post("/rules/try", { text, name: "complaints", days: "14", ...fields }, { "hx-request": "true" })
  ).text();
const save = (fields: Record<string, string>) =>
  post("/rules/save", { name: "complaints", opened: ruleVersion(SPIKE_RULE), by: "Ann", ...fields });
const CHANGED = SPIKE_RULE.replace("atLeast: 15", "atLeast: 20");
const fileOf = (name: string) => readFile(join(folder, `${name}.yaml`), "utf8");

test("the list names every rule, what it looks at, and its tests", async () => {
  await web.stores.rulePages.noteTests([
    {
      rule: "volume-spike",
      test: "volume-spike",
      outcome: "Passed",
      detail: "",
      ruleVersion: ruleVersion(await fileOf("volume-spike")),
      ranAt: NOW - HOUR,
      tookMs: 900,
    },
  ]);
  const text = await (await ask("/rules")).text();
  for (const { name } of (await loadRules("rules")).rules) expect(text).toContain(`href="/rules/${name}"`);
  expect(text).toContain("more than usual");
  expect(text).toMatch(/Everybody talks about the brand.*1 passed/s);
  expect(text).toContain('<a href="/rules" aria-current="page">');
  const json = (await (await ask("/rules.json")).json()) as { name: string }[];
  expect(json.map(({ name }) => name)).toContain("complaints");
});

test("a rule's page names the tests that nobody ran, and says where the first one goes", async () => {
  const shipped = await (await ask("/rules/safety-category")).text();
  expect(shipped).toContain("4 tests, no result on this page yet");
  expect(shipped).toContain("<code>safety-category-one-story</code>");
  expect(shipped).not.toContain("Write a story");
  const own = await (await ask("/rules/complaints")).text();
  expect(own).toContain("It has no tests. Write a story in <code>tests/complaints.test.yaml</code>");
});

test("a rule's page says in plain words what it does, what it costs, how it was tested and what it found", async () => {
  const version = ruleVersion(SPIKE_RULE);
  const result = { rule: "complaints", ranAt: NOW - 3 * DAY, tookMs: 800 };
  await web.stores.rulePages.noteTests([
    { ...result, test: "complaints", outcome: "Passed", detail: "", ruleVersion: version },
    {
      ...result,
      test: "complaints-edge",
      outcome: "Failed",
      detail: "line 9: nobody was <b>notified</b>",
      ruleVersion: "abcabcabcabc",
    },
  ]);
  const alert = anAlert({ openedAt: NOW - 2 * DAY, rule: "complaints", handling: { relevant: false } });
  await web.stores.alerts.save([
    alert,
    anAlert({ openedAt: NOW - 40 * DAY, rule: "complaints", because: "too old to be shown" }),
  ]);
  const text = await (await ask("/rules/complaints")).text();
  expect(text).toContain(
    "Far more negative mentions than this query usually has at this hour of the week, and 15 at least.",
  );
  expect(text).toContain("Warning at first; critical from at least 60 in 30 min.");
  expect(text).toMatch(
    /An alert comes at the earliest some seconds after the mention that reaches the limit; how late is known/,
  );
  expect(text).toContain("# A comment that people keep.");
  expect(text).toMatch(/3 days ago.*nobody was &lt;b&gt;notified/s);
  expect(text).toMatch(/Old result:<\/strong> it tested version <code>abcabcabcabc/);
  expect(text.match(/Old result/g)).toHaveLength(1);
  expect(text).toContain("0% of the one alert that people judged was relevant; 1 fired in 30 days");
  expect(text).toContain(`href="/alerts/${alert.id}"`);
  expect(text).not.toContain("too old to be shown");
  expect(await (await ask(`/alerts/${alert.id}`)).text()).toContain('href="/rules/complaints"');
  expect(await (await ask("/why?of=m-1")).text()).not.toContain("No such mention");
});

test("a rule without a stored result says how to run its tests, and one that does not exist is not found", async () => {
  expect(await (await ask("/rules/crisis-spike")).text()).toContain("earshot test");
  for (const name of ["no-such", "..%2F..%2Fetc%2Fpasswd", "Complaints", "complaints.yaml", ".history"])
    expect([name, (await ask(`/rules/${name}`)).status]).toEqual([name, 404]);
  expect((await ask("/rules/crisis-spike/yaml")).headers.get("content-disposition")).toBe(
    'attachment; filename="crisis-spike.yaml"',
  );
});

test("a file with faults has a page that shows each at its line", async () => {
  await writeFile(
    join(folder, "complaints.yaml"),
    SPIKE_RULE.replace("sentiment: negative", "sentimnt: negative"),
  );
  const text = await (await ask("/rules/complaints")).text();
  expect(text).toContain('data-line="8"');
  expect(text).toContain("did you mean &quot;sentiment&quot;?");
  expect(text).toContain("The monitor does not run this version");
});

test("a try gives the alerts and messages of a backtest of the same file", async () => {
  const read = parseRule("complaints", "complaints.yaml", SPIKE_RULE);
  if (!("rule" in read)) throw new Error("faults");
  const queries = await web.stores.queries.active();
  const from = NOW - 14 * DAY;
  const simulation = createSimulation({ rules: [read.rule], queries, notifyConfig: ROUTES, from });
  for await (const mention of storedMentions(web.stores, queries, from - LEARN_MS))
    await simulation.take(mention);
  const { alerts, notifications } = await simulation.finish(NOW);
  expect(alerts.length).toBeGreaterThan(1);
  const text = await attempt(SPIKE_RULE);
  expect(text).toContain(`Would have sent <strong>${alerts.length} alerts</strong> in 14 days`);
  expect(text).toContain(`Messages: <bdi>comms</bdi> ${notifications.length}.`);
  for (const { because } of alerts) expect(text).toContain(because.replaceAll("'", "&#39;").slice(0, 40));
  expect(text.match(/<svg /g)).toHaveLength(2);
  expect(text).toContain(">fired</text>");
});

test("a try shows the mentions that match, and says what it cost", async () => {
  const text = await attempt("description: x\nseverity: info\nwhen: { tag: press, language: de }\n");
  expect(text).toMatch(/\d+ of [\d,]+ mentions match \(\d+%\), in 2 queries/);
  expect(text.match(/<li class="mention /g)).toHaveLength(10);
  expect(
    await attempt("description: x\nseverity: info\nqueries: [nobody]\nwhen: { tag: press }\n"),
  ).toContain("There is no query that this rule is for");
});

test("faults of the YAML are shown at their line, in words", async () => {
  const text = await attempt('title: x\nseverity: loud\nwhen:\n  keyword: ["\n');
  expect(text).toMatch(/The rule has \d+ fault/);
  expect(text).toMatch(/data-line="[45]"/);
  const other = await attempt("description: x\nseverity: info\nwhen:\n  sentiment: negativ\n");
  expect(other).toMatch(/Line 4<\/a> <code dir="auto">sentiment: negativ<\/code>/);
});

test("texts of strangers and of editors are escaped wherever a try shows them", async () => {
  for (const attack of ATTACKS) {
    const yaml = `description: ${JSON.stringify(attack)}\nseverity: info\nwhen: { keyword: ${JSON.stringify(`a${attack}`)} }\nextra: ${JSON.stringify(attack)}\n`;
    for (const text of [
      await attempt(yaml),
      await (await post("/rules/try", { text: yaml, name: attack })).text(),
    ]) {
      expect(text).not.toContain("<script>document");
      expect(text).not.toContain("<img");
      expect(text).not.toContain("<iframe");
      expect(text).not.toMatch(/<a [^>]*evil/);
    }
  }
});

test("a form makes the same rule, and keeps comments of parts that it does not change", async () => {
  const form = {
    mode: "form",
    base: SPIKE_RULE,
    title: "Wave of complaints",
    description: "Far more negative mentions than usual.",
    sentiment: "negative",
    counts: "spike",
    atLeast: "25",
    severity: "warning",
    criticalFrom: "60",
    criticalWithin: "30m",
  };
  const answer = await post("/rules/download", { ...form, name: "complaints" });
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="complaints.yaml"');
  expect(await answer.text()).toBe(SPIKE_RULE.replace("atLeast: 15", "atLeast: 25"));
  expect(await attempt("", form)).toMatch(/Would have sent <strong>\d+ alerts/);
  const yaml = await (await post("/rules/try", { ...form, show: "yaml" })).text();
  expect(yaml).toMatch(/<textarea id="text"[^>]*>\n# A comment that people keep\./);
});

test("a newer try of the same session ends the one before", async () => {
  const first = attempt(SPIKE_RULE);
  const second = attempt(SPIKE_RULE.replace("15", "16"));
  const both = await Promise.all([first, second]);
  expect(both.filter((text) => text.includes("This try ended"))).toHaveLength(1);
  expect(both.filter((text) => text.includes("Would have sent"))).toHaveLength(1);
});

test("a reader who goes away ends their try, and the next one begins", async () => {
  const gone = new AbortController();
  const left = fetch(`${web.url}/rules/try`, {
    method: "POST",
    signal: gone.signal,
    headers: { authorization: BASIC, cookie },
    body: new URLSearchParams({ token, mode: "yaml", text: SPIKE_RULE }),
  });
  gone.abort();
  await expect(left).rejects.toThrow();
  expect(await attempt(SPIKE_RULE)).toContain("Would have sent");
});

test("a rule is saved with who wrote it, and the old version is kept where the loader does not read it", async () => {
  const answer = await save({ text: CHANGED.replaceAll("\n", "\r\n") });
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringContaining("Taken up with at least 20."),
  ]);
  expect(await fileOf("complaints")).toBe(CHANGED);
  expect(await readdir(join(folder, ".history"))).toEqual(["complaints-20260303T140500Z.yaml"]);
  expect(await readFile(join(folder, ".history", "complaints-20260303T140500Z.yaml"), "utf8")).toBe(
    SPIKE_RULE,
  );
  expect(await web.stores.rulePages.edits("complaints", 5)).toEqual([
    {
      rule: "complaints",
      at: NOW,
      actor: { via: "page", login: "ann", typed: "Ann" },
      before: ruleVersion(SPIKE_RULE),
      after: ruleVersion(CHANGED),
    },
  ]);
  expect((await loadRules(folder)).faults).toEqual([]);
  expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  const page = await (await ask("/rules/complaints")).text();
  expect(page).toContain("Changed on this console");
  expect(page).toContain("The monitor does not run this version");
});

test("a save of a version that is no longer there is refused, and the text is not lost", async () => {
  await writeFile(join(folder, "complaints.yaml"), CHANGED);
  const answer = await save({ text: SPIKE_RULE.replace("15", "17") });
  const page = await answer.text();
  expect(answer.status).toBe(409);
  expect(page).toContain("the file was changed since you opened it");
  expect(page).toContain("atLeast: 17");
  expect(await fileOf("complaints")).toBe(CHANGED);
});

test("of two saves at once one wins, and the other one hears of it", async () => {
  const answers = await Promise.all([20, 21].map((n) => save({ text: SPIKE_RULE.replace("15", String(n)) })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const file = await fileOf("complaints");
  expect([SPIKE_RULE.replace("15", "20"), SPIKE_RULE.replace("15", "21")]).toContain(file);
});

test("a rule that the loader would refuse is not written, nor one beside a file that it refuses", async () => {
  const answer = await save({ text: SPIKE_RULE.replace("sentiment", "sentimnt") });
  expect([answer.status, await answer.text()]).toEqual([
    409,
    expect.stringContaining("complaints.yaml, line 8: unknown key"),
  ]);
  await writeFile(join(folder, "zz-broken.yaml"), "severity: 5\n");
  try {
    expect(await (await save({ text: CHANGED })).text()).toContain("zz-broken.yaml, line 1");
  } finally {
    await rm(join(folder, "zz-broken.yaml"));
  }
  expect(await fileOf("complaints")).toBe(SPIKE_RULE);
});

test("a name never leaves the folder, and an old rule is not replaced by a new one of its name", async () => {
  for (const name of [
    "../evil",
    "..",
    "a/b",
    "a\\b",
    "/etc/evil",
    ".history",
    "UPPER",
    "a--b",
    "try",
    "a".repeat(90),
    "a\u0000b",
    "",
  ]) {
    const answer = await save({ name, opened: "", text: SPIKE_RULE });
    expect([name, answer.status]).toEqual([name, 409]);
  }
  expect((await save({ opened: "", text: CHANGED })).status).toBe(409);
  const aside = join(folder, "..", "earshot-aside.yaml");
  await writeFile(aside, SPIKE_RULE);
  await symlink(aside, join(folder, "linked.yaml"));
  try {
    const linked = await save({ name: "linked", text: CHANGED });
    expect(await linked.text()).toContain("no plain file");
    expect(await readFile(aside, "utf8")).toBe(SPIKE_RULE);
  } finally {
    await rm(join(folder, "linked.yaml"));
    await rm(aside);
  }
  const saved = await save({ name: "brand-new", opened: "", text: SPIKE_RULE });
  expect(saved.status).toBe(200);
  expect(await fileOf("brand-new")).toBe(SPIKE_RULE);
  await rm(join(folder, "brand-new.yaml"));
});

test("a save needs the login and a form of this console", async () => {
  const fields = { token, mode: "yaml", name: "complaints", opened: ruleVersion(SPIKE_RULE), text: CHANGED };
  const send = (headers: Record<string, string>, more = {}) =>
    fetch(`${web.url}/rules/save`, {
      method: "POST",
      redirect: "manual",
      headers,
      body: new URLSearchParams({ ...fields, ...more }),
    });
  expect((await send({ cookie })).status).toBe(401);
  expect((await send({ authorization: BASIC })).status).toBe(403);
  expect((await send({ authorization: BASIC, cookie }, { token: "x" })).status).toBe(403);
  expect((await send({ authorization: BASIC, cookie, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect(await fileOf("complaints")).toBe(SPIKE_RULE);
});

test.each([
  ["editRules is off", { login: LOGIN, admins: ["ann"] }, "web.editRules in earshot.yaml does not allow it"],
  [
    "the login is no admin",
    { login: LOGIN, editRules: true, admins: ["bob"] },
    "ann has the role responder, and this needs editor",
  ],
  [
    "there is no login",
    { editRules: true, admins: ["ann"] },
    "this console has no login, so nobody is an editor",
  ],
])("nobody saves where %s, and the page says why", async (_, settings, because) => {
  const other = await startTestConsole(NOW, { folder, settings });
  try {
    const form = await formOf(other);
    const page = await (await ask("/rules/complaints/try", {}, other)).text();
    expect(page).toContain(because);
    expect(page).not.toContain("/rules/save");
    const answer = await ask(
      "/rules/save",
      {
        method: "POST",
        headers: { cookie: form.cookie },
        body: new URLSearchParams({
          token: form.token,
          mode: "yaml",
          name: "complaints",
          opened: ruleVersion(SPIKE_RULE),
          text: CHANGED,
        }),
      },
      other,
    );
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(because)]);
    expect(await fileOf("complaints")).toBe(SPIKE_RULE);
  } finally {
    await other.close();
  }
});

test("where mentions are stored for some days only, a try says so and counts from there", async () => {
  const young = await startTestConsole(NOW + 3 * DAY, { folder, notifyConfig: ROUTES });
  try {
    await storeWeeks(young.stores, NOW + 3 * DAY, NOW);
    const form = await formOf(young);
    const answer = await ask(
      "/rules/try",
      {
        method: "POST",
        headers: { cookie: form.cookie, "hx-request": "true" },
        body: new URLSearchParams({ token: form.token, mode: "yaml", text: SPIKE_RULE, days: "14" }),
      },
      young,
    );
    const text = await answer.text();
    expect(text).toContain("Mentions are stored since 2026-03-03 only.");
    expect(text).toMatch(/Would have sent <strong>\d+ alerts?<\/strong> in 3 of 14 days/);
  } finally {
    await young.close();
  }
});
