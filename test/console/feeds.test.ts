import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/admin/config/config.ts";
import { openSetupView } from "../../src/admin/setup/open-setup-view.ts";
import { SETUP_SCHEMAS } from "../../src/cli/schemas.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { rssDocument } from "../fakes/feed-server.ts";
import { acmeTexts, CARTOONS, KETTLES } from "../feeds/setup/acme-texts.ts";
import { until } from "../until.ts";
import { type FeedConsoles, openFeedConsoles, PUSH_TOKEN } from "./feed-consoles.ts";
import type { TestConsole } from "./start-test-console.ts";

const LOGIN = { username: "ann", password: "correct horse" };
let all: FeedConsoles;
let web: TestConsole;
beforeAll(async () => {
  all = await openFeedConsoles();
  web = await all.start({}, true);
}, 60_000);
afterAll(() => all.close());

const ask = (path: string, init: RequestInit = {}, of = web) =>
  fetch(`${of.url}${path}`, { ...init, headers: { accept: "text/html", ...init.headers } });

async function post(
  path: string,
  fields: Record<string, string | readonly string[]>,
  of = web,
  headers: Record<string, string> = {},
) {
  const page = await ask("/setup", { headers }, of);
  const token = /name="token" value="([^"]+)"/.exec(
    (await page.text()).split('<main id="main"')[1] ?? "",
  )?.[1];
  const cookie = page.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const body = new URLSearchParams({ token: token ?? "" });
  for (const [name, given] of Object.entries(fields))
    for (const one of [given].flat()) body.append(name, one);
  return ask(path, { method: "POST", body, headers: { cookie, ...headers } }, of);
}

test("the list says of each feed when it was read, what came, and why it is silent", async () => {
  const text = await (await ask("/health")).text();
  expect(text).toMatch(/\/feed<\/\S+<span class="detail">rss, expected every 10m/);
  expect(text).toContain("there is nothing at this address (status 404); failure 1 in a row");
  expect(text).toContain("nothing was sent to it yet");
  expect(text).toContain("&lt;i&gt;zapier&lt;/i&gt;");
  expect(text).toContain('href="/health" aria-current="page"');
  expect(await (await ask("/feeds.json")).json()).toMatchObject({
    feeds: expect.arrayContaining([expect.objectContaining({ state: "ok", itemsToday: 2, matchedToday: 1 })]),
  });
  expect(await (await ask("/health?part=feeds")).text()).not.toContain("<html");
});

test("the list is fetched again when something changes", async () => {
  const stop = new AbortController();
  const since = /sse-connect="(\/live\?since=[^"]+)"/.exec(await (await ask("/health")).text())?.[1] ?? "";
  const stream = await ask(since, { signal: stop.signal, headers: { accept: "text/event-stream" } });
  const sent = await all.listening.push?.take(PUSH_TOKEN, { id: 1, text: "Acme is here" });
  expect(sent?.status).toBe(200);
  let said = "";
  for await (const part of stream.body ?? []) {
    said += Buffer.from(part as Uint8Array).toString();
    if (said.includes("event: feeds")) break;
  }
  expect(said).toContain("event: feeds");
  stop.abort();
});

test("a sentiment is corrected by a person, and the page says what corrections have taught", async () => {
  const pool = openPool({ url: all.databaseUrl, connections: 1, onError: () => {} });
  const stored = async () =>
    (
      await pool.query<{ query: string; mention: string; sentiment: string }>(
        `select query_id as query, resource_id as mention, m.sentiment from local_api.mention m
        join local_api.query q on q.id = m.query_id
        where q.name = 'Acme' and superseded_at = 'infinity' and title like '%opens%'`,
      )
    ).rows[0];
  const found = await stored();
  const fields = { mention: found?.mention ?? "", sentiment: "negative" };
  const done = await post("/mentions/sentiment", { ...fields, query: `feeds-${found?.query}` });
  expect(done.url).toContain("corrected=negative");
  expect((await stored())?.sentiment).toBe("negative");
  for (const query of [String(found?.query), "feeds-0", "feeds-x", ""]) {
    const refused = await post("/mentions/sentiment", { ...fields, sentiment: "positive", query });
    expect([query, refused.status]).toEqual([query, 409]);
  }
  const gone = { ...fields, mention: "nothing", query: `feeds-${found?.query}` };
  expect((await post("/mentions/sentiment", gone)).status).toBe(409);
  expect((await post("/mentions/sentiment", { ...gone, sentiment: "angry" })).status).toBe(400);
  const unsigned = await ask("/mentions/sentiment", { method: "POST", body: new URLSearchParams(gone) });
  expect(unsigned.status).toBe(403);
  expect((await stored())?.sentiment).toBe("negative");
  await pool.end();
  const text = await (await ask("/health")).text();
  expect(text).toContain("Learned from people");
  expect(text).toMatch(
    /Acme<\/bdi><\/th>\s*<td[^>]*>sentiment<\/td>\s*<td[^>]*>too few corrected mentions \([01]\): it begins with eight/,
  );
});

test("the categories of a mention are corrected by a person, and a rule does not bring back what they took away", async () => {
  const pool = openPool({ url: all.databaseUrl, connections: 1, onError: () => {} });
  const stored = async () =>
    (
      await pool.query<{ query: string; mention: string; names: string[]; said: string[] }>(
        `select query_id as query, resource_id as mention, classifications as said,
          array(select name from local_api.category where id = any(m.categories) order by name) as names
        from local_api.mention m join local_api.query q on q.id = m.query_id
        where q.name = 'Acme' and superseded_at = 'infinity' and title like '%opens%'`,
      )
    ).rows[0];
  const found = await stored();
  expect(found?.names).toEqual(["Opening"]);
  const known = (await all.listening.view?.categories()) ?? [];
  expect(known.map(({ name }) => name)).toEqual(["Safety: Opening", "Safety: Recall"]);
  const [opening, recall] = known.map(({ id }) => String(id));
  const fields = { query: `feeds-${found?.query}`, mention: found?.mention ?? "" };
  const done = await post("/mentions/categories", {
    ...fields,
    shown: opening ?? "",
    category: recall ?? "",
  });
  expect(done.url).toContain("corrected=categories");
  expect(await stored()).toMatchObject({
    names: ["Recall"],
    said: expect.arrayContaining([`category:people:${opening}:out`, `category:people:${recall}:in`]),
  });
  expect((await post("/mentions/categories", { ...fields, category: "999999999" })).status).toBe(409);
  expect((await post("/mentions/categories", { ...fields, category: "x" })).status).toBe(400);
  expect((await post("/mentions/categories", { ...fields, query: "feeds-0" })).status).toBe(409);
  // Its text changes, and the rule of the category is judged anew.
  const page = all.server.pages.get("/feed");
  if (page === undefined || !("body" in page)) throw new Error("there is a feed");
  all.server.pages.set("/feed", { ...page, body: String(page.body).replace("opens", "opens again") });
  await pool.query("update feeds.feed set next_at = now()");
  await until(
    "the edit is stored",
    async () => {
      const { rows } = await pool.query(
        "select from local_api.mention where superseded_at = 'infinity' and title like '%opens again%'",
      );
      return rows.length > 0;
    },
    { withinMs: 30_000 },
  );
  expect((await stored())?.names).toEqual(["Recall"]);
  // Two people have the page open: one takes it out of one category, the other one puts it into another.
  const takesOut = { ...fields, shown: recall ?? "" };
  const putsIn = { ...fields, shown: recall ?? "", category: [recall ?? "", opening ?? ""] };
  expect((await post("/mentions/categories", takesOut)).url).toContain("corrected=categories");
  expect((await stored())?.names).toEqual([]);
  expect((await post("/mentions/categories", putsIn)).url).toContain("corrected=categories");
  expect((await stored())?.names).toEqual(["Opening"]);
  await pool.end();
});

test("a feed is tried with a form of the console only, and not again within a minute", async () => {
  const feed = (await all.listening.view?.list())?.feeds.find(({ name }) => name.endsWith("/feed"));
  const asked = () => all.server.requests.filter(({ path }) => path === "/feed").length;
  const before = asked();
  const key = feed?.key ?? "";
  const text = await (await post("/feeds/try", { key })).text();
  expect(text).toContain("2 items, 1 matched.");
  expect(text).toContain("opens");
  expect(text).not.toContain("<b>opens");
  expect(text).not.toContain("javascript:");
  await post("/feeds/try", { key });
  expect(asked()).toBe(before + 1);
  expect((await ask("/feeds/try", { method: "POST", body: new URLSearchParams({ key }) })).status).toBe(403);
  expect((await post("/feeds/try", { key: "none" })).status).toBe(404);
});

const FORM = { brand: "Acme", spellings: "acme corp", rivals: "", languages: "en", contact: "" };

test("the first-run page shows the files and what they would bring, and writes them", async () => {
  const page = await (await ask("/setup")).text();
  expect(page).toMatch(/value="hacker-news" checked/);
  const fields = { ...FORM, addresses: `${all.server.url}/feed` };
  const shown = await (await post("/setup", { ...fields, do: "try" })).text();
  expect(shown).toContain("(Acme OR &quot;acme corp&quot; OR acmecorp)");
  expect(shown).toContain("2 items, 1 matched.");
  expect(shown).toContain("rules-acme/tests/new-story.test.yaml");
  expect(existsSync(join(all.folder, "earshot.yaml"))).toBe(false);
  expect(shown).toContain('name="slackToken"');
  const wrong = await post("/setup/write", {
    ...fields,
    slackChannel: "#brand-alerts",
    slackToken: "secret",
  });
  expect([wrong.status, await wrong.text()]).toEqual([409, expect.stringContaining("begins with xoxb-")]);
  const slack = { slackChannel: "#brand-alerts", slackToken: "xoxb-not-shown" };
  const written = await post("/setup/write", { ...fields, ...slack });
  const answer = await written.text();
  expect([written.status, answer]).toEqual([200, expect.stringContaining("Restart it.")]);
  expect(answer).not.toContain("xoxb-not-shown");
  expect(await readFile(join(all.folder, "earshot.yaml"), "utf8")).not.toContain("xoxb-not-shown");
  expect((await loadConfig(join(all.folder, "earshot.yaml"), {})).receivers).toMatchObject([
    { notifier: { kind: "slack", channel: "#brand-alerts", token: "xoxb-not-shown" } },
  ]);
  expect((await loadConfig(join(all.folder, "earshot.yaml"), {})).listen?.queries[0]?.name).toBe("Acme");
  const again = await post("/setup/write", { ...fields, brand: "Other" });
  expect([again.status, await again.text()]).toEqual([
    409,
    expect.stringContaining("there is an earshot.yaml already"),
  ]);
  expect(await readFile(join(all.folder, "earshot.yaml"), "utf8")).toContain("name: Acme");
});

test.each([
  [{ brand: "  " }, "type the name of the brand"],
  [{ brand: "***", addresses: "https://x.example" }, "cannot be searched"],
  [{ languages: "english" }, "languages have two letters"],
  [{ addresses: "nonsense" }, "is neither an address nor one of"],
  [{ addresses: "" }, "choose at least one feed"],
  [{ addresses: "https://x.example\n".repeat(21) }, "20 addresses at most"],
  [{ addresses: "https://x.example", contact: "a b" }, "has blanks"],
])("what is wrong is named: %j", async (fields, fault) => {
  const text = await (await post("/setup", { ...FORM, ...fields })).text();
  expect(text).toContain('role="alert"');
  expect(text).toContain(fault);
});

test("on a console with an earshot.yaml only admins write, where the file allows it", async () => {
  const basic = (name: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${LOGIN.password}`).toString("base64")}`,
  });
  const fields = { ...FORM, addresses: "https://x.example/feed" };
  const plain = await all.start({ editRules: true }, false);
  const refused = await post("/setup/write", fields, plain);
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("this console has no login"),
  ]);
  const reader = await all.start({ login: LOGIN, editSetup: true, admins: ["bo"] }, true);
  expect((await post("/setup/write", fields, reader, basic("ann"))).status).toBe(403);
  const asked = all.server.requests.length;
  const tried = { ...fields, addresses: `${all.server.url}/feed`, do: "try" };
  expect(await (await post("/setup", tried, reader, basic("ann"))).text()).not.toContain("items,");
  expect(all.server.requests.length).toBe(asked);
  const admin = await all.start({ login: LOGIN, editSetup: true, admins: ["ann"] }, false);
  const shown = await (await post("/setup", fields, admin, basic("ann"))).text();
  const opened = /name="opened" value="([^"]+)"/.exec(shown)?.[1] ?? "";
  expect((await post("/setup/write", { ...fields, opened }, admin, basic("ann"))).status).toBe(200);
  expect(await readFile(join(all.folder, "earshot.yaml"), "utf8")).toContain("https://x.example/feed");
});

test("the set-up asks which meanings of the name are meant, and leaves the others out", async () => {
  const titles = [...acmeTexts(30, KETTLES, 1), ...acmeTexts(20, CARTOONS, 2)];
  const date = new Date(systemClock.now()).toUTCString();
  all.server.pages.set("/meanings", {
    body: rssDocument(
      titles.map((title, n) => ({ guid: `${n}`, title, link: `https://blog.example/m/${n}`, date })),
    ),
  });
  const fields = { ...FORM, languages: "", not: "jobs", addresses: `${all.server.url}/meanings` };
  const shown = await (await post("/setup", { ...fields, do: "try" })).text();
  expect(shown).toContain("Which of these do you mean?");
  const senses = /name="senses" value="([^"]+)"/.exec(shown)?.[1]?.replaceAll("&quot;", '"') ?? "";
  expect(JSON.parse(senses)).toHaveLength(2);
  const chosen = await (await post("/setup", { ...fields, do: "senses", senses, meant: "0" })).text();
  expect(chosen).toMatch(/name="not" value="jobs, [^"]*coyote/);
  expect(chosen).toMatch(
    /name="about" value="Acme, as in texts about [^"]*kettle[^"]*; not about [^"]*coyote/,
  );
  expect(chosen).toMatch(/NOT \(jobs OR [^)]*coyote/);
  // What a page never showed is no meaning: the form stays as it was.
  for (const forged of ["[", '[{"words":["a b"],"not":["x OR y"]}]']) {
    const same = await (await post("/setup", { ...fields, do: "senses", senses: forged, meant: "0" })).text();
    expect(same).toMatch(/name="not" value="jobs"/);
  }
  const few = await (
    await post("/setup", { ...fields, addresses: `${all.server.url}/feed`, do: "try" })
  ).text();
  expect(few).toContain("The feeds bring 1 text with Acme now: too few to tell");
});

test("strangers cannot make the console call its own network", async () => {
  const setup = openSetupView({
    ...{
      file: join(all.folder, "earshot.yaml"),
      configured: null,
      timezone: "UTC",
      schemas: SETUP_SCHEMAS,
      next: "Restart it.",
    },
    ...{ clock: systemClock, log: pino({ level: "silent" }) },
  });
  const form = {
    ...FORM,
    not: "",
    about: "",
    kinds: [],
    addresses: `${all.server.url}/feed http://localhost/x http://[::1]/`,
  };
  const outcome = await setup.draft(form, {
    tries: true,
    mayWrite: true,
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({
    outcome: "Faulty",
    faults: Array.from({ length: 3 }, () =>
      expect.stringContaining("of this machine or of a private network"),
    ),
  });
});
