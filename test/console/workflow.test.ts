import { parse as readCsv } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser } from "../../src/console/auth/manage-users.ts";
import { writeKey } from "../../src/console/parts/workflow.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { createAssessor } from "../../src/monitor/ingest/assess-mention.ts";
import { forgetMentions } from "../../src/monitor/ingest/forget-mentions.ts";
import type { ShownMention } from "../../src/monitor/model/shown.ts";
import { aMention } from "../mention.ts";
import { aVisitor, type ConsoleVisitor, tokenIn } from "../security/console-visitor.ts";
import { ATTACKS, PROJECT, storeMentions } from "./make-a-story.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const PASSWORD = "four words in a row";
const query = { projectId: PROJECT, queryId: "1", name: "Acme", projectName: "Brands", timezone: "UTC" };
const mentionOf = (n: number) =>
  aMention({
    ...{ resourceId: `m${n}`, text: `Text ${n}`, publishedAt: NOW - n * MINUTE, addedAt: NOW - n * MINUTE },
    tags: n === 5 ? ["Source tag"] : [],
  });
const key = (n: number) => writeKey({ projectId: PROJECT, queryId: "1", resourceId: `m${n}` });

let web: TestConsole;
let ann: ConsoleVisitor;
let bob: ConsoleVisitor;
let eve: ConsoleVisitor;

beforeAll(async () => {
  web = await startTestConsole(NOW);
  await web.stores.queries.register([query], NOW - HOUR, NOW - HOUR);
  await storeMentions(
    web.stores,
    Array.from({ length: 30 }, (_, n) => mentionOf(n)),
    NOW,
  );
  const parts = { stores: web.stores, namesOfFile: [], now: NOW };
  const open = async (name: string, role: "responder" | "viewer") => {
    await addUser(parts, { name, role, email: null, password: PASSWORD, by: "test" });
    const visitor = aVisitor(web.url);
    await visitor.logIn(name, PASSWORD);
    return visitor;
  };
  [ann, bob, eve] = [
    await open("ann", "responder"),
    await open("bob", "responder"),
    await open("eve", "viewer"),
  ];
});
afterAll(() => web.close());

const pageOf = async (who: ConsoleVisitor, path: string) => (await who.ask(path)).text();
async function send(who: ConsoleVisitor, path: string, form: Record<string, string | readonly string[]>) {
  const token = tokenIn(await pageOf(who, "/why?of=m0"));
  const body = new URLSearchParams([["token", token]]);
  for (const [name, values] of Object.entries(form))
    for (const value of [values].flat()) body.append(name, value);
  return who.ask(path, { method: "POST", body });
}
async function press(who: ConsoleVisitor, of: readonly number[], form: Record<string, string>) {
  const answer = await send(who, "/mentions/work", {
    mention: of.map(key),
    back: "/mentions?query=1",
    ...form,
  });
  const pressed = new URL(answer.headers.get("location") ?? "/", web.url).searchParams.get("pressed");
  return { answer, pressed: pressed ?? "" };
}
async function found(who: ConsoleVisitor, of: Record<string, string>) {
  const answer = await who.ask(`/mentions.json?${new URLSearchParams(of)}`, {
    headers: { accept: "application/json" },
  });
  const { mentions } = (await answer.json()) as { mentions: ShownMention[] };
  return mentions.map(({ mention }) => mention.resourceId).sort();
}

test("two people press at once: the last one counts, and the page says who had it before", async () => {
  await Promise.all([press(ann, [0], { do: "assign-me" }), press(bob, [0], { do: "assign-me" })]);
  const { workflow, steps } = await web.stores.mentionWorkflow.story({
    projectId: PROJECT,
    queryId: "1",
    resourceId: "m0",
  });
  expect(steps).toHaveLength(2);
  const [first, last] = [...steps].sort((a, b) =>
    a.before?.assignee === null ? -1 : b.before === null ? 1 : 1,
  );
  expect(last?.before?.assignee).toBe(first?.after?.assignee);
  expect(workflow?.assignee).toBe(last?.after?.assignee);
  const { answer } = await press(workflow?.assignee === "ann" ? bob : ann, [0], { do: "assign-me" });
  expect(answer.headers.get("location")).toMatch(/^\/mentions\?query=1&pressed=/);
  const page = await pageOf(workflow?.assignee === "ann" ? bob : ann, answer.headers.get("location") ?? "");
  expect(page).toContain(`before, ${workflow?.assignee} had it.`);
  await press(bob, [0], { do: "assign", to: "carl" });
});

test("Enter in the field of a name gives it to me, if that says me", async () => {
  await press(ann, [11], { do: "typed", to: "Me" });
  const which = { projectId: PROJECT, queryId: "1", resourceId: "m11" };
  expect((await web.stores.mentionWorkflow.story(which)).workflow?.assignee).toBe("ann");
  await press(ann, [11], { do: "unassign" });
});

test("a press comes back to a long search in any alphabet", async () => {
  const back = `/mentions?${new URLSearchParams({ contains: "電池".repeat(500) })}`;
  const { answer } = await press(ann, [11], { do: "unassign", back });
  expect(answer.headers.get("location")).toBe(`${back}&pressed=none`);
});

test("a list is narrowed down to people, status and tags, typed or chosen", async () => {
  await press(ann, [1, 2], { do: "assign-me" });
  await press(ann, [2, 3], { do: "done" });
  await press(ann, [4], { do: "in-progress" });
  await press(bob, [3, 4], { do: "tag", tag: "VIP, press office" });
  expect(await found(ann, { contains: "assignee:me Text" })).toEqual(["m1", "m2"]);
  expect(await found(bob, { contains: "assignee:ann status:to-do" })).toEqual(["m1"]);
  expect(await found(ann, { assignee: "me", status: "to-do" })).toEqual(["m1"]);
  expect(await found(ann, { status: "done" })).toEqual(["m2", "m3"]);
  expect(await found(ann, { contains: 'tag:"press office" AND status:done AND Text' })).toEqual(["m3"]);
  expect(await found(ann, { contains: "tag:vip" })).toEqual(["m3", "m4"]);
  expect(await found(ann, { tag: "source TAG" })).toEqual(["m5"]);
  const open = await found(ann, { status: "open", assignee: "nobody" });
  expect(open).toContain("m6");
  for (const id of ["m0", "m1", "m2", "m3", "m4"]) expect(open).not.toContain(id);
  expect(await pageOf(ann, "/mentions?contains=NOT+status:done")).toContain("narrows down the whole search");
});

test("who is asked for as me gets an own answer, and nobody else's", async () => {
  const path = "/mentions?assignee=me&part=list";
  const [ofAnn, ofBob] = [await pageOf(ann, path), await pageOf(bob, path)];
  expect(ofAnn).toContain("Text 1");
  expect(ofBob).not.toContain("Text 1");
});

test("an undo is a step of its own, and is refused where somebody went on", async () => {
  const { pressed } = await press(ann, [7, 8], { do: "not-relevant" });
  expect((await send(bob, "/mentions/undo", { press: pressed })).status).toBe(409);
  await press(bob, [8], { do: "open" });
  const refused = await send(ann, "/mentions/undo", { press: pressed });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("bob has changed 1 of the 2 since");
  expect(await found(ann, { status: "not-relevant" })).toEqual(["m7"]);
  const second = await press(ann, [7, 9], { do: "done" });
  const undone = await send(ann, "/mentions/undo", { press: second.pressed });
  expect(undone.status).toBe(303);
  expect(await found(ann, { status: "not-relevant" })).toEqual(["m7"]);
  const { steps } = await web.stores.mentionWorkflow.story({
    projectId: PROJECT,
    queryId: "1",
    resourceId: "m9",
  });
  expect(steps.map(({ kind }) => kind)).toEqual(["change", "undo"]);
  const again = await send(ann, "/mentions/undo", { press: second.pressed });
  expect(await again.text()).toContain("ann has changed them since");
  web.clock.advance(11 * MINUTE);
  expect(await (await send(ann, "/mentions/undo", { press: pressed })).text()).toContain(
    "more than ten minutes ago",
  );
});

test("a note that is sent twice is one; a press on a deleted mention says so", async () => {
  const note = {
    mention: key(10),
    press: "0199b2c4-7d1a-7000-8000-000000000009",
    text: "Called them",
    back: "/why?of=m10",
  };
  for (let i = 0; i < 2; i++)
    expect((await send(ann, "/mentions/note", note)).headers.get("location")).toBe("/why?of=m10");
  const page = await pageOf(bob, "/why?of=m10");
  expect(page).toContain("Called them");
  expect(page).toContain("1 note");
  await web.stores.transaction(async (facts) => {
    const locked = await facts.queries.lock(PROJECT, "1");
    if (locked === null) throw new Error("no query");
    const gone = [{ resourceId: "m10", eventAt: NOW - 10 * MINUTE }];
    await forgetMentions(facts, locked, gone, {
      rules: [],
      assess: createAssessor([]),
      now: NOW,
      reason: "source",
    });
  });
  const story = await web.stores.mentionWorkflow.story({
    projectId: PROJECT,
    queryId: "1",
    resourceId: "m10",
  });
  expect(story).toEqual({ workflow: null, steps: [] });
  const { answer } = await press(ann, [10], { do: "done" });
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain("nothing of it is stored any more");
  const some = await press(ann, [10, 11], { do: "done" });
  expect(await pageOf(ann, some.answer.headers.get("location") ?? "")).toContain(
    "1 mention is not stored any more.",
  );
  expect((await send(ann, "/mentions/note", { ...note, press: note.press.replace("9", "8") })).status).toBe(
    409,
  );
});

test("a mention whose day is corrected keeps what people decided", async () => {
  await press(ann, [12], { do: "tag", tag: "moved" });
  const moved = { ...mentionOf(12), publishedAt: NOW - 48 * HOUR, updatedAt: NOW + 1 };
  await storeMentions(web.stores, [moved], NOW + 1);
  expect(await found(ann, { tag: "moved" })).toEqual(["m12"]);
  const { steps } = await web.stores.mentionWorkflow.story({
    projectId: PROJECT,
    queryId: "1",
    resourceId: "m12",
  });
  expect(steps).toHaveLength(1);
});

test("whoever is forgotten leaves notes and tags of other mentions", async () => {
  await press(ann, [13], { do: "tag", tag: "troll_7, rude" });
  await send(ann, "/mentions/note", {
    mention: key(13),
    press: "0199b2c4-7d1a-7000-8000-000000000013",
    text: "Friend of @troll_7, not of troll_70",
  });
  expect(await web.stores.mentionWorkflow.countNaming("troll_7")).toBe(1);
  await web.stores.mentionWorkflow.forget("troll_7");
  const { workflow, steps } = await web.stores.mentionWorkflow.story({
    projectId: PROJECT,
    queryId: "1",
    resourceId: "m13",
  });
  expect(workflow?.tags).toEqual(["rude"]);
  const left = steps.map(({ after, text }) => after?.tags ?? text);
  expect(left).toContainEqual(["rude"]);
  expect(left).toContain("Friend of [forgotten], not of troll_70");
});

test("what is called not relevant teaches", async () => {
  await press(ann, [14], { do: "not-relevant" });
  const judged = await web.stores.mentions.judged({ id: "1", name: "Acme" }, { relevant: false, most: 10 });
  expect(judged).toContainEqual({ text: "Text 14", isRelevant: false });
  expect(await web.stores.mentions.judged({ id: "1", name: "Acme" }, { relevant: true, most: 10 })).toEqual(
    [],
  );
});

test("files have status, assignee and own tags, and none of it is a formula", async () => {
  await press(ann, [15], { do: "assign", to: "=HYPERLINK(1)" });
  await press(ann, [15], { do: "tag", tag: '=cmd|" /C calc"!A0, +1' });
  const rows = readCsv(await pageOf(ann, "/mentions.csv?assignee=%3DHYPERLINK(1)"), {
    columns: true,
    bom: true,
  }) as Record<string, string>[];
  expect(rows).toMatchObject([
    { id: "m15", status: "open", assignee: "'=HYPERLINK(1)", "own tags": `'=cmd|" /C calc"!A0, +1` },
  ]);
  const [line = ""] = (await pageOf(ann, "/mentions.jsonl?status=done")).split("\n");
  expect(JSON.parse(line)).toMatchObject({ status: "done" });
});

test("what people type acts nowhere", async () => {
  for (const [n, text] of ATTACKS.entries()) {
    await press(ann, [20 + n], { do: "tag", tag: text });
    await press(ann, [20 + n], { do: "assign", to: text.slice(0, 80) });
    await send(ann, "/mentions/note", {
      mention: key(20 + n),
      press: `0199b2c4-7d1a-7000-8000-00000000002${n}`,
      text,
    });
    for (const page of [await pageOf(ann, `/why?of=m${20 + n}`), await pageOf(ann, "/mentions")]) {
      expect(page).not.toMatch(/<script>document|<img src=x|<iframe|<a href="https:\/\/evil/);
    }
  }
});

test("a viewer sees what was decided and can change nothing; every press is in the audit log without its words", async () => {
  const page = await pageOf(eve, "/mentions?status=done");
  expect(page).toContain("<bdi>ann</bdi> has it");
  expect(page).not.toContain('id="work"');
  expect(await pageOf(eve, "/why?of=m2")).toContain("<bdi>ann</bdi> has it");
  expect((await eve.post("/mentions/work", { do: "done", mention: key(1) })).status).toBe(403);
  const entries = await web.stores.audit.list(
    { who: null, action: "mention.", from: null, to: null },
    null,
    200,
  );
  const made = entries.filter(({ action }) => action.startsWith("mention."));
  expect(new Set(made.map(({ action }) => action))).toEqual(
    new Set(["mention.work", "mention.undo", "mention.note"]),
  );
  expect(made).toContainEqual(
    expect.objectContaining({ target: "m0", detail: "assign to ann", outcome: "Done" }),
  );
  expect(JSON.stringify(made)).not.toMatch(/Called them|press office/);
});

test("a page to come back to is one of ours", async () => {
  for (const back of ["//evil.example", "https://evil.example/mentions", "/mentions\r\nx: y", "/audit"]) {
    const { answer } = await press(ann, [1], { do: "done", back });
    expect(answer.headers.get("location")).toMatch(/^\/mentions\?pressed=/);
  }
});

test("a name is asked for where there is no login, and a press without choices says what is missing", async () => {
  expect((await press(ann, [], { do: "done" })).answer.status).toBe(400);
  expect(await (await press(ann, [1], { do: "assign" })).answer.text()).toContain("say who gets it");
  expect(await (await press(ann, [1], { do: "tag", tag: " , " })).answer.text()).toContain(
    "type a tag first",
  );
  expect(await (await press(ann, [1], { do: "typed", to: "", tag: "" })).answer.text()).toContain(
    "choose what to do",
  );
});
