import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UserError } from "../../../src/lib/errors.ts";
import { createRenderer } from "../../../src/monitor/templates/create-renderer.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "templates-"));
  await cp("templates", directory, { recursive: true });
});
afterEach(() => rm(directory, { recursive: true }));

it("the templates that are shipped have no fault", async () => {
  expect((await createRenderer({ folder: directory })).check()).toEqual([]);
});

it.each([
  [
    "a misspelt name where no sample leads",
    "{{#if query}}{{else}}{{quer}}{{/if}}",
    /"quer" is not in the view/,
  ],
  ["a helper of something else", "{{time query}}", /"Northwind" is no moment/],
  ["a moment that may be missing", "{{time resolvedAt}}", /ask with \{\{#if\}\} first/],
  ["a number that no alert has to have", "{{values.count}}", /count/],
  ["an unclosed block", "{{#if query}}x", /Parse error/],
])("%s is reported with its file", async (_, source, fault) => {
  await writeFile(join(directory, "email/alert.txt.hbs"), source);
  const faults = (await createRenderer({ folder: directory })).check();
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^templates\/email\/alert\.txt\.hbs(: |:\d+:\d+ )/);
  expect(faults[0]).toMatch(fault);
});

it("a text that grows with every repetition is reported with its file, and not sent", async () => {
  const [open, close] = ["{{#each mentions}}{{#with @root}}", "{{/with}}{{/each}}"];
  const source = open.repeat(6) + "x".repeat(5_000) + close.repeat(6);
  await writeFile(join(directory, "slack/alert-about.mrkdwn.hbs"), source);
  expect((await createRenderer({ folder: directory })).check()).toEqual([
    expect.stringMatching(/^templates\/slack\/alert-about\.mrkdwn\.hbs: a sample becomes more than 500 kB/),
  ]);
});

it("a query that is written from right to left leaves the numbers behind it where they are", async () => {
  const renderer = await createRenderer({ folder: directory });
  const [view] = sampleAlertViews;
  const named = { announcement: { ...view.announcement, query: "שלום", text: view.headline } };
  expect(renderer.render("slack/alert-headline.header", { ...view, ...named })).toContain("שלום\u200e: 62");
  expect(renderer.render("email/alert-subject.header", { ...view, ...named })).toContain("שלום\u200e: ");
});

it("all faults are reported at once", async () => {
  await rm(join(directory, "slack/alert-size.mrkdwn.hbs"));
  await writeFile(join(directory, "email/digest.html.hbs"), "{{nope}}");
  await writeFile(join(directory, "email/stray.xml.hbs"), "x");
  expect((await createRenderer({ folder: directory })).check()).toHaveLength(3);
});

it("a directory that is not there is a fault of the user", async () => {
  await expect(createRenderer({ folder: join(directory, "nowhere") })).rejects.toBeInstanceOf(UserError);
});

it("two renderers do not share what they know", async () => {
  const first = await createRenderer({ folder: directory });
  await writeFile(join(directory, "email/alert-subject.header.hbs"), "changed");
  const second = await createRenderer({ folder: directory });
  expect(second.render("email/alert-subject.header", sampleAlertViews[0])).toBe("changed");
  expect(first.render("email/alert-subject.header", sampleAlertViews[0])).toContain("CRITICAL");
});

it("a folder replaces shipped templates file by file, and what nothing uses is a fault with a guess", async () => {
  const own = await mkdtemp(join(tmpdir(), "own-templates-"));
  await mkdir(join(own, "email"));
  await writeFile(join(own, "email/alert-subject.header.hbs"), "{{query}} needs you{{> email/mine.txt}}");
  await writeFile(join(own, "email/mine.txt.hbs"), "!");
  const good = await createRenderer({ folder: own, base: "templates" });
  expect(good.check()).toEqual([]);
  expect(good.render("email/alert-subject.header", sampleAlertViews[0])).toBe("Northwind needs you!");
  expect(good.render("email/alert.txt", sampleAlertViews[0])).toContain("Northwind");
  await writeFile(join(own, "email/alrt.html.hbs"), "x");
  await writeFile(join(own, "email/digest.txt.hbs"), "{{nme}}");
  const bad = (await createRenderer({ folder: own, base: "templates" })).check();
  expect(bad).toEqual([
    expect.stringMatching(
      /email\/alrt\.html\.hbs: nothing uses it — did you mean "email\/alert\.html\.hbs"\?/,
    ),
    expect.stringMatching(/email\/digest\.txt\.hbs:1:3 .*nme.*name/),
  ]);
  await rm(own, { recursive: true });
});
