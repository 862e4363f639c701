import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { type WrittenNote, writeNote } from "../../src/monitor/alerts/actions/write-note.ts";
import type { Incident } from "../../src/monitor/model/incident.ts";
import { aMention } from "../mention.ts";
import { aVisitor, tokenIn } from "../security/console-visitor.ts";
import { ATTACKS, anAlert, makeAnIncident, PROJECT } from "./make-a-story.ts";
import { pdfText } from "./pdf-text.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const BEGAN = NOW - 5 * HOUR;
let web: TestConsole;
let incident: Incident;

/** Mentions of 09:05 to 13:05: two queries find `both`, an hour before and after there are more. */
beforeAll(async () => {
  web = await startTestConsole(NOW);
  const query = { projectId: PROJECT, projectName: "Brands", timezone: "UTC" };
  const queries = [
    { ...query, queryId: "1", name: "Aurora Air" },
    { ...query, queryId: "2", name: "Northwind" },
  ];
  await web.stores.queries.register(queries, BEGAN - HOUR, BEGAN - HOUR);
  const said = (n: number, at: number, facts: Partial<Parameters<typeof aMention>[0]> = {}) =>
    aMention({
      ...{ queryId: "1", resourceId: `m${n}`, publishedAt: at, addedAt: at, author: `author${n % 3}` },
      ...{ domain: n % 2 === 0 ? "a.example" : "b.example", language: "en", text: `Text of @person${n}` },
      ...facts,
    });
  const mentions = [
    ...[0, 1, 2, 3].map((n) =>
      said(n, BEGAN + n * MINUTE, { sentiment: "negative", text: "Fire, says @ann" }),
    ),
    said(4, BEGAN + 2 * HOUR, { sentiment: "positive", language: "de" }),
    said(5, BEGAN + 2 * HOUR + MINUTE, { sentiment: "neutral" }),
    said(6, BEGAN + 2 * HOUR + 2 * MINUTE, { resourceId: "both", sentiment: null }),
    said(7, BEGAN + 2 * HOUR + 2 * MINUTE, {
      resourceId: "both",
      queryId: "2",
      author: "author0",
      sentiment: null,
    }),
    said(8, BEGAN - 2 * HOUR, { sentiment: "negative" }),
    said(10, BEGAN - 2 * HOUR, { sentiment: "negative", text: "Fire, says @ann" }),
    said(9, NOW, { sentiment: "negative" }),
  ];
  for (const queryId of ["1", "2"]) {
    const rows = mentions
      .filter((mention) => mention.queryId === queryId)
      .map((mention) => ({
        ...{ mention, eventAt: mention.publishedAt ?? NOW },
        story: mention.text?.startsWith("Fire") ? "fire" : mention.resourceId,
      }));
    await web.stores.mentions.storePage(PROJECT, web.stores.mentions.rowsOf(rows), NOW);
  }
  const alert = anAlert({ openedAt: BEGAN, windowFrom: BEGAN, lastSeenAt: BEGAN + 3 * HOUR });
  const other = anAlert({
    openedAt: BEGAN,
    windowFrom: BEGAN,
    queryId: "2",
    queryName: "Northwind",
    fingerprint: "2",
  });
  await web.stores.alerts.save([alert, other]);
  const begun = await makeAnIncident(web.stores, alert);
  const part = await makeAnIncident(web.stores, other);
  incident = {
    ...begun,
    ...{ status: "over", endedAt: BEGAN + 4 * HOUR, lastSeenAt: BEGAN + 3 * HOUR },
    handling: { acknowledgedBy: "ann" },
  };
  await web.stores.incidents.save([incident, { ...part, partOf: begun.id }]);
  await web.stores.incidents.addEntries(PROJECT, [
    { incidentId: begun.id, at: BEGAN + 12 * MINUTE, kind: "Handled", detail: "by ann" },
    { incidentId: begun.id, at: BEGAN + HOUR, kind: "Joined", detail: "hidden-rule-name", alertId: other.id },
    { incidentId: begun.id, at: BEGAN + 4 * HOUR, kind: "Over", detail: "calm for 1 h" },
  ]);
  const by = { via: "page", login: "ann", typed: null } as const;
  const write = (note: WrittenNote) =>
    web.stores.transaction((facts) => writeNote(facts, incident, note, by, BEGAN + 30 * MINUTE));
  await write({ kind: "statement", status: "Statement published", text: "We recall the X2." });
  await write({ kind: "comment", status: null, text: "among colleagues" });
});
afterAll(() => web.close());

const visitor = () => aVisitor(web.url);
const read = async (path = "/review") => (await visitor().ask(`/incidents/${incident.id}${path}`)).text();
const plain = (page: string) => page.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const documentOf = async () =>
  pdfText(new Uint8Array(await (await visitor().ask(`/incidents/${incident.id}/review.pdf`)).arrayBuffer()));
async function save(text: string, seen?: string) {
  const ann = visitor();
  const page = await (await ann.ask(`/incidents/${incident.id}/review`)).text();
  const newest = /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? "";
  return ann.post(`/incidents/${incident.id}/review`, {
    token: tokenIn(page),
    seen: seen ?? newest,
    text,
    by: "Ann",
  });
}

/** Counted by hand from the list above. */
const FIGURES = [
  ["Began", "Tue 3 Mar, 09:05 UTC"],
  ["Over", "Tue 3 Mar, 13:05 UTC"],
  ["Somebody took it", "12 min after it began"],
  ["First statement", "30 min after it began"],
  ["Mentions, each counted once", "7"],
  ["Negative", "4 (57%)"],
  ["Neutral", "1 (14%)"],
  ["Positive", "1 (14%)"],
  ["Different authors", "3"],
  ["Sites", "2"],
  ["Languages", "2"],
  ["Largest hour of one query", "4 mentions, from Tue 3 Mar, 09:00 UTC"],
  ["Alerts", "2"],
] as const;

test("the figures of a review are those of the mentions, on the page and in the document", async () => {
  const page = plain(await read());
  const document = await documentOf();
  for (const [label, value] of FIGURES) {
    expect(page).toContain(`${label} ${value}`);
    expect(document).toContain(`${label}: ${value}`);
  }
});

test("a review has what happened, what was said and the stories, and no author, comment or sorting", async () => {
  for (const text of [plain(await read()), (await documentOf()).replaceAll("\n", " ")]) {
    for (const part of ["Statement published", "We recall the X2.", "Somebody took it", "calm for 1 h"])
      expect(text).toContain(part);
    expect(text).toContain("Fire, says @…");
    for (const hidden of ["@ann", "author0", "among colleagues", "hidden-rule-name"])
      expect(text).not.toContain(hidden);
  }
});

test("its page says first what it is about, which alert joined, and a story from its first mention on", async () => {
  const page = plain(await read(""));
  expect(page).toMatch(/“Fire, says @ann” .*Statement.* 5 mentions Fire, says @ann first .*07:05/);
  expect(page).toContain("An alert joined: ");
  expect(page.indexOf("What happened")).toBeLessThan(page.indexOf("among colleagues"));
});

test("what was learned is written by a responder, replaced by who has read it, and is in both", async () => {
  expect(plain(await read())).toContain("Nobody has written it yet.");
  expect((await save("Answer within an hour.\nCall the press desk first.")).status).toBe(303);
  expect(await read()).toContain("Answer within an hour.\nCall the press desk first.</p>");
  expect(await documentOf()).toContain("Answer within an hour.\nCall the press desk first.");
  const blind = await save("I have read nothing", "0199b2c4-7d1a-7000-8000-000000000000");
  expect([blind.status, await blind.text()]).toEqual([
    409,
    expect.stringContaining("I have read nothing</textarea>"),
  ]);
  expect((await save("Answer within half an hour.")).status).toBe(303);
  expect(plain(await read())).not.toContain("Answer within an hour.");
  // Kept, with who and when.
  const notes = await web.stores.incidentNotes.list(PROJECT, incident.id);
  expect(notes.filter(({ kind }) => kind === "lesson").map(({ actor }) => actor.typed)).toEqual([
    "Ann",
    "Ann",
  ]);
});

test("a document is a file with a name, and what attacks it is text", async () => {
  expect((await save(ATTACKS.join("\n"))).status).toBe(303);
  const answer = await visitor().ask(`/incidents/${incident.id}/review.pdf`);
  expect(answer.headers.get("content-type")).toBe("application/pdf");
  expect(answer.headers.get("content-disposition")).toBe(
    `attachment; filename="incident-${incident.id.slice(0, 8)}.pdf"`,
  );
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(Buffer.from(bytes).toString("latin1")).not.toMatch(/\/(?:JavaScript|JS|OpenAction|Launch|URI|AA)\b/);
  const text = pdfText(bytes);
  expect(text).toContain(`<script>document.title = "owned"</script>`);
  // Marks that turn the direction of text are out.
  expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
});

test("an incident that is not there has neither page nor document", async () => {
  const none = "/incidents/0199b2c4-7d1a-7000-8000-000000000000";
  for (const path of [none, `${none}/review`, `${none}/review.pdf`, "/incidents/x/review"])
    expect((await visitor().ask(path)).status, path).toBe(404);
});
