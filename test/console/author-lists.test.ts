import { parse as readCsv } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import type { ListedAuthor } from "../../src/monitor/model/author-list.ts";
import { authorKeyOf } from "../../src/monitor/model/author-list.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import type { ShownMention } from "../../src/monitor/model/shown.ts";
import { aMention } from "../mention.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "../security/console-visitor.ts";
import { ATTACKS, PROJECT, storeMentions } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
const query = { projectId: PROJECT, queryId: "1", name: "Acme", projectName: "Brands", timezone: "UTC" };
const SPEAKERS = [
  { author: "@Ann", authorName: "Ann Example", domain: "social.example" },
  { author: "ann", authorName: "Another Ann", domain: "forum.example" },
  { author: null, authorName: "Jo Byline", domain: "news.example" },
  { author: "bo", authorName: "Ann", domain: "social.example" },
  { author: null, authorName: null, domain: "news.example" },
];
const mentions: readonly Mention[] = Array.from({ length: 60 }, (_, n) => {
  const publishedAt = NOW - n * 5 * HOUR - MINUTE;
  return aMention({
    ...{ resourceId: `m${n}`, text: `Text ${n}`, publishedAt, addedAt: publishedAt },
    ...SPEAKERS[n % SPEAKERS.length],
    sentiment: n % 3 === 0 ? "negative" : "neutral",
  });
});

let web: TestConsole;
let ann: ConsoleVisitor;
let eve: ConsoleVisitor;

beforeAll(async () => {
  web = await startTestConsole(NOW);
  await web.stores.queries.register([query], NOW - HOUR, NOW - HOUR);
  await storeMentions(web.stores, mentions, NOW);
  await web.stores.mentionCounts.countStale();
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  const open = async (name: string, role: "responder" | "viewer") => {
    await addUser(parts, { name, role, email: null, password: PASSWORD, by: "test" });
    const visitor = aVisitor(web.url);
    await visitor.logIn(name, PASSWORD);
    return visitor;
  };
  [ann, eve] = [await open("ann", "responder"), await open("eve", "viewer")];
});
afterAll(() => web.close());

const pageOf = async (who: ConsoleVisitor, path: string) => (await who.ask(path)).text();
async function post(who: ConsoleVisitor, path: string, form: Record<string, string>) {
  const token = tokenIn(await pageOf(who, "/lists"));
  return who.post(path, { token, ...form });
}
async function json<T>(path: string): Promise<T> {
  return (await ann.ask(path, { headers: { accept: "application/json" } })).json() as Promise<T>;
}
const all = () => json<ListedAuthor[]>("/lists.json");
async function found(question: Record<string, string>) {
  const listed = await json<{ mentions: ShownMention[] }>(`/mentions.json?${new URLSearchParams(question)}`);
  return listed.mentions.map(({ mention }) => mention.resourceId).sort();
}
const idsOf = (is: (mention: Mention) => boolean) =>
  mentions
    .filter(is)
    .map(({ resourceId }) => resourceId)
    .sort();

test("an author is put on a list from a mention, with a note; the namesake on another site is not", async () => {
  const why = await pageOf(ann, "/why?of=m0");
  expect(why).toContain("Put <bdi>@Ann</bdi> on a list".replace("@", ""));
  const answer = await post(ann, "/lists", {
    ...{ author: "Ann", name: "Ann Example", site: "Social.example", list: "VIP" },
    ...{ note: `Call her first ${ATTACKS[0]}`, back: "/why?of=m0" },
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/why?of=m0"]);
  expect(await all()).toMatchObject([
    { list: "VIP", author: "Ann", name: "Ann Example", site: "social.example", actor: { login: "ann" } },
  ]);
  const hers = idsOf(({ author, domain }) => author === "@Ann" && domain === "social.example");
  for (const list of ["VIP", "vip"]) expect(await found({ list })).toEqual(hers);
  expect(await found({ contains: "list:vip Text" })).toEqual(hers);
  const page = await pageOf(eve, "/mentions");
  expect(page.match(/author on the list <\/span><bdi>VIP<\/bdi>/g)).toHaveLength(10);
  for (const path of ["/mentions", "/why?of=m0", "/insights/speakers", "/lists"]) {
    const markup = await pageOf(eve, path);
    expect(markup).toContain("Call her first");
    expect(markup).not.toContain("<script>doc");
    expect(markup).not.toContain("Put <bdi>");
  }
  const csv = readCsv(await pageOf(eve, "/mentions.csv?author=Ann&domain=social.example")) as string[][];
  expect(csv[1]?.[csv[0]?.indexOf("lists") ?? -1]).toBe("VIP");
});

test("the audit log says who did it, and names no author", async () => {
  const [entry] = await web.stores.audit.list(
    { who: null, action: "author.list", from: null, to: null },
    null,
    10,
  );
  expect(entry).toMatchObject({ actor: { login: "ann" }, outcome: "Done", target: (await all())[0]?.id });
  expect(JSON.stringify(entry)).not.toMatch(/example|Call her/i);
});

test("an author is on several lists; a list that there is keeps its name; once more changes the note", async () => {
  await post(ann, "/lists", { author: "@jo byline", list: "Press", note: "news desk" });
  await post(ann, "/lists", { author: "ann", list: "press", note: "" });
  await post(ann, "/lists", { author: "Jo Byline", list: "PRESS", note: "Left in May" });
  expect((await all()).map(({ list, author, site, note }) => [list, author, site, note])).toMatchObject([
    ["Press", "ann", null, ""],
    ["Press", "jo byline", null, "Left in May"],
    ["VIP", "Ann", "social.example", expect.stringContaining("Call her first")],
  ]);
  const shown = await pageOf(ann, "/why?of=m0");
  for (const list of ["Press", "VIP"]) expect(shown).toContain(`on the list </span><bdi>${list}</bdi>`);
});

test("who speaks: of each list, recounted from the mentions; and the authors of one alone", async () => {
  type Speakers = {
    facet: string;
    rows: {
      value: string;
      list: string;
      authors: number;
      mentions: number;
      before: number;
      lists: unknown[];
    }[];
  }[];
  const [from, before] = [Date.parse("2026-02-25T00:00:00Z"), Date.parse("2026-02-18T00:00:00Z")];
  const press = (mention: Mention) =>
    ["ann", "jo byline"].includes(authorKeyOf(mention)?.toLowerCase() ?? "");
  const within = (begin: number, end: number) =>
    mentions.filter((one) => press(one) && (one.publishedAt ?? 0) >= begin && (one.publishedAt ?? 0) < end);
  const speakers = await json<Speakers>("/insights/speakers.json?last=7d");
  expect(speakers.find(({ facet }) => facet === "list")?.rows[0]).toMatchObject({
    ...{ list: "Press", authors: 2, mentions: within(from, NOW).length },
    ...{ negative: within(from, NOW).filter(({ sentiment }) => sentiment === "negative").length },
    before: within(before, from).filter(({ publishedAt }) => (publishedAt ?? 0) < NOW - 7 * DAY + 10 * MINUTE)
      .length,
  });
  const own = await json<Speakers>("/insights/speakers.json?last=7d&list=press");
  expect(own.map(({ facet }) => facet)).toEqual(["author", "list"]);
  const rows = own[0]?.rows ?? [];
  expect(rows.map(({ value }) => value).sort()).toEqual(["Ann", "Jo Byline", "ann"]);
  expect(rows.reduce((sum, row) => sum + row.mentions, 0)).toBe(within(from, NOW).length);
  expect(rows.every(({ lists }) => lists.length > 0)).toBe(true);
  expect(await pageOf(eve, "/insights/speakers?list=press")).toContain("Authors on the list");
});

test("an entry needs an author and a list; no viewer writes or deletes one", async () => {
  for (const wrong of [
    { author: "@", list: "VIP" },
    { author: "ann", list: " " },
    { author: "ann", list: "x".repeat(41) },
    { author: "", list: "VIP" },
    // Without its site it would be somebody on every site, and without its note nobody would know why.
    { author: "ann", list: "VIP", site: "x".repeat(201) },
    { author: "ann", list: "VIP", note: "x".repeat(501) },
  ])
    expect((await post(ann, "/lists", wrong)).status).toBe(400);
  const [first] = await all();
  for (const [path, form] of [
    ["/lists", { author: "cy", list: "VIP" }],
    ["/lists/end", { id: first?.id ?? "" }],
  ] as const)
    expect((await post(eve, path, form)).status).toBe(403);
  expect(await all()).toHaveLength(3);
  const back = await post(ann, "/lists", { author: "cy", list: "VIP", back: "//evil.example" });
  expect(back.headers.get("location")).toBe("/lists");
});

test("somebody is taken off a list, and nothing marks them any more", async () => {
  for (const { id, author } of await all())
    if (author === "cy" || author === "Ann") await post(ann, "/lists/end", { id });
  expect(await found({ list: "VIP" })).toEqual([]);
  // In a crowd an address may be answered as it was a second ago; nobody has read this one yet.
  const page = await pageOf(eve, "/mentions?author=cy");
  expect(page).toContain("cy");
  expect(page).not.toContain("<bdi>VIP</bdi>");
});
