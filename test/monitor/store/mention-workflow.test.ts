import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { storableText } from "../../../src/lib/text.ts";
import { readTags } from "../../../src/monitor/model/mention-workflow.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";

// Mention `own` is in two queries of two projects, and has another beside it.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const DAY = "2026-03-02";
const { database, stores } = await useStores();
const { mentionWorkflow } = stores;
const [P, OTHER] = ["p", "other"];
const ANN = { via: "page", login: "ann", typed: null } as const;
const BO = { via: "page", login: "bo", typed: null } as const;
const OPEN = { status: "open", assignee: null, tags: [] } as const;
const OWN = { projectId: P, queryId: "1", resourceId: "own" };
const OTHERS = [
  { ...OWN, projectId: OTHER },
  { ...OWN, queryId: "2" },
  { ...OWN, resourceId: "beside" },
];

beforeEach(async () => {
  for (const table of ["mentions", "mention_workflow", "mention_steps"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  for (const { projectId, queryId, resourceId } of [OWN, ...OTHERS]) {
    const mention = aMention({ queryId, resourceId, publishedAt: NOON });
    const page = [{ mention, eventAt: NOON, story: resourceId }];
    await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
  }
});

async function decide(
  key: typeof OWN,
  tags: string[],
  actor: typeof ANN | typeof BO = ANN,
  press = randomUUID(),
) {
  const changes = [{ resourceId: key.resourceId, day: DAY, before: OPEN, after: { ...OPEN, tags } }];
  await mentionWorkflow.save(key.projectId, key.queryId, changes, { press, at: NOON, kind: "change", actor });
  return press;
}
const note = (key: typeof OWN, text: string, press = randomUUID()) =>
  mentionWorkflow.addNote(key, { press, at: NOON, actor: ANN, text });
const changed = (table: "mention_workflow" | "mention_steps", work: () => Promise<unknown>) =>
  changedBy(database.db, table, ["project_id", "query_id", "resource_id"], work);

test("what people type and what was cut is stored, whatever characters it has", async () => {
  const typed = ["half \ud83d", "nothing \0", "\\u0000 as text", "😀"];
  for (const text of typed) {
    await decide(OWN, [text], { ...ANN, typed: text } as never);
    const { workflow } = await mentionWorkflow.story(OWN);
    expect(workflow?.tags).toEqual([storableText(text)]);
  }
  const [tag] = readTags(`${"x".repeat(39)}😀`);
  await decide(OWN, [tag ?? ""]);
  expect((await mentionWorkflow.story(OWN)).workflow?.tags).toEqual(["x".repeat(39)]);
});

test("decisions and notes are of one mention of one query of one project", async () => {
  for (const key of OTHERS) {
    await decide(key, ["theirs"]);
    await note(key, "theirs");
  }
  expect(await mentionWorkflow.story(OWN)).toEqual({ workflow: null, steps: [] });
  expect(await changed("mention_workflow", () => decide(OWN, ["ours"]))).toEqual(["p 1 own"]);
  const press = randomUUID();
  expect(await changed("mention_workflow", () => note(OWN, "ours", press))).toEqual(["p 1 own"]);
  expect([await note(OWN, "ours", press), await note({ ...OWN, resourceId: "gone" }, "x")]).toEqual([
    false,
    false,
  ]);
  expect(await mentionWorkflow.story(OWN)).toMatchObject({
    ...{ workflow: { tags: ["ours"], notes: 1 } },
    steps: expect.toSatisfy((steps: unknown[]) => steps.length === 2),
  });
  const found = await mentionWorkflow.ofMentions(P, "1", ["own"]);
  expect(found).toMatchObject([{ resourceId: "own", workflow: { tags: ["ours"] } }]);
  await decide(OWN, ["newer"]);
  expect((await mentionWorkflow.story(OWN)).workflow?.tags).toEqual(["newer"]);
});

test("a press has its own changes, and who changed them since", async () => {
  const press = await decide(OWN, ["a"]);
  await decide({ ...OWN, resourceId: "beside" }, ["a"], ANN, press);
  const pressed = async () =>
    (await mentionWorkflow.ofPress(press)).map(({ resourceId, changedBy: by }) => [
      resourceId,
      by?.login ?? null,
    ]);
  expect(await pressed()).toEqual([
    ["beside", null],
    ["own", null],
  ]);
  // Bo's press changed one of the two, and mentions elsewhere with the same names, which Ann had changed.
  const later = randomUUID();
  for (const key of OTHERS.slice(0, 2)) await decide(key, ["b"], ANN, later);
  await decide(OWN, ["b"], BO, later);
  await decide({ ...OWN, resourceId: "third" }, ["b"], BO, later);
  expect(await pressed()).toEqual([
    ["beside", null],
    ["own", "bo"],
  ]);
  await note(OWN, "words", press);
  expect(await pressed()).toHaveLength(2);
});

test("a name is taken out of notes and tags that have it as a word, and out of no others", async () => {
  await note(OWN, "by daily_courier");
  await note({ ...OWN, resourceId: "beside" }, "by somebody");
  await decide({ ...OWN, queryId: "2" }, ["daily_courier", "press"]);
  await decide({ ...OWN, projectId: OTHER }, ["press"]);
  expect(await mentionWorkflow.countNaming("daily_courier")).toBe(1);
  const steps = await changed("mention_steps", async () => {
    const tags = await changed("mention_workflow", () => mentionWorkflow.forget("daily_courier"));
    expect(tags).toEqual(["p 2 own"]);
  });
  expect(steps).toEqual(["p 1 own", "p 2 own"]);
  expect((await mentionWorkflow.story(OWN)).steps).toMatchObject([{ text: "by [forgotten]" }]);
  expect((await mentionWorkflow.story({ ...OWN, queryId: "2" })).workflow?.tags).toEqual(["press"]);
});
