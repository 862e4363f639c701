import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { uuid7 } from "../../src/lib/uuid7.ts";
import type { Earshot } from "../../src/monitor/monitor.ts";
import { versionsIn as versionsOfDigests } from "../../src/monitor/notify/view/name-versions.ts";
import { validRules } from "../../src/monitor/rules/load-rules.ts";
import { openTemplates } from "../../src/monitor/templates/open-templates.ts";
import { versionsIn } from "../reloads/versions.ts";
import { onAnyEngine } from "./on-every-engine.ts";
import type { Story } from "./story.ts";

const rule = (version: number, when = "{ sentiment: negative }") =>
  `title: Rule rules-v${version}\ndescription: Somebody is unhappy.\nseverity: warning\nwhen: ${when}\ngroupBy: author\n`;
/** Its alerts end after a quarter of an hour. */
const brief = (version: number) => `${rule(version)}over: { after: 15m }\n`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-reload-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A version of the files of a story: its number is in the rules and in a template, and alerts go to its channel. */
async function versionOf(
  { config }: Story,
  version: number,
  receiver: string,
  rules: Readonly<Record<string, string>> = { unhappy: rule(version) },
): Promise<Parameters<Earshot["prepare"]>[0]> {
  const own = join(folder, String(version));
  await mkdir(join(own, "rules"), { recursive: true });
  await mkdir(join(own, "templates", "slack"), { recursive: true });
  for (const [name, text] of Object.entries(rules)) await writeFile(join(own, "rules", `${name}.yaml`), text);
  await writeFile(
    join(own, "templates", "slack", "alert-fallback.mrkdwn.hbs"),
    `{{query}} {{title}} {{state}} templates-v${version}`,
  );
  const routes = config.routes.map((route) => ({ ...route, receivers: [receiver] }));
  return {
    digest: `digest ${version}`,
    config: { ...config, routes },
    rules: await validRules(join(own, "rules")),
    renderer: await openTemplates(join(own, "templates")),
  };
}

async function take({ earshot }: Story, files: Parameters<Earshot["prepare"]>[0]): Promise<void> {
  (await earshot.prepare(files)).take();
}

/** The versions in each message of a channel. */
async function versions(story: Story, channel: string): Promise<readonly (readonly number[])[]> {
  return (await story.posted(channel)).map(versionsIn);
}

onAnyEngine((begin) => {
  test("rules, routes and templates change in one step; a poll that runs loses and repeats nothing", async () => {
    const story = await begin({ rules: { unhappy: rule(0) }, routes: [{ receivers: ["alerts"] }] });
    const { at, until, source } = story;
    await take(story, await versionOf(story, 1, "alerts"));
    at("09:01").mention("Acme", { sentiment: "negative", author: "ann" });
    await until("09:05");
    expect(await versions(story, "#alerts")).toEqual([[1]]);

    // A poll began with the first version, and its page arrives when the second one is in place.
    const next = await story.earshot.prepare(await versionOf(story, 2, "crisis"));
    let go = () => {};
    const standing = new Promise<void>((stands) => {
      const hold = () =>
        new Promise<void>((resolve) => {
          go = resolve;
          stands();
        });
      source.holds.push({ on: /\/mentions/, hold });
    });
    at("09:06").mention("Acme", { sentiment: "negative", author: "bob" });
    const moved = until("09:10");
    await standing;
    next.take();
    go();
    await moved;
    // It was routed by the first version, as the poll began with it, and written by the second, whole.
    expect(await versions(story, "#alerts")).toEqual([[1], [2]]);

    at("09:11").mention("Acme", { sentiment: "negative", author: "cleo" });
    await until("09:15");
    expect(await versions(story, "#crisis")).toEqual([[2]]);
    expect(await versions(story, "#alerts")).toHaveLength(2);
    const [{ n } = { n: "" }] = await story.query<{ n: string }>("select count(*) as n from earshot.alerts");
    expect(n).toBe("3");
  });

  test("a version that cannot be opened changes nothing, and one that is dropped neither", async () => {
    const story = await begin({ rules: { unhappy: rule(0) }, routes: [{ receivers: ["alerts"] }] });
    await take(story, await versionOf(story, 1, "alerts"));
    const { drop } = await story.earshot.prepare(await versionOf(story, 2, "crisis"));
    await drop();
    story.at("09:01").mention("Acme", { sentiment: "negative" });
    await story.until("09:05");
    expect(await versions(story, "#alerts")).toEqual([[1]]);
    expect(await versions(story, "#crisis")).toEqual([]);
  });

  test("if the route of an open alert changes, both receivers hear of its end", async () => {
    const story = await begin({ rules: { unhappy: rule(0) }, routes: [{ receivers: ["alerts"] }] });
    await take(story, await versionOf(story, 1, "alerts", { unhappy: brief(1) }));
    story.at("09:01").mention("Acme", { sentiment: "negative", author: "ann" });
    await story.until("09:05");
    await take(story, await versionOf(story, 2, "crisis", { unhappy: brief(2) }));
    story.at("09:06").mention("Acme", { sentiment: "negative", author: "ann" });
    await story.until("09:40");
    expect(await story.posted("#alerts")).toEqual([
      "Acme Rule rules-v1 firing templates-v1",
      "↳ Acme Rule rules-v2 resolved templates-v2",
    ]);
    expect(await story.posted("#crisis")).toEqual([
      "Acme Rule rules-v2 firing templates-v2",
      "↳ Acme Rule rules-v2 resolved templates-v2",
    ]);
  });

  test("a rule with another name is another rule: what the old one opened ends, and people hear of it", async () => {
    const story = await begin({ rules: { unhappy: rule(0) }, routes: [{ receivers: ["alerts"] }] });
    await take(story, await versionOf(story, 1, "alerts"));
    story.at("09:01").mention("Acme", { sentiment: "negative", author: "ann" });
    await story.until("09:05");
    await take(story, await versionOf(story, 2, "alerts", { furious: rule(2) }));
    story.at("09:11").mention("Acme", { sentiment: "negative", author: "ann" });
    await story.until("09:15");
    expect(await story.posted("#alerts")).toEqual([
      "Acme Rule rules-v1 firing templates-v1",
      "↳ Acme Unhappy resolved templates-v2",
      "Acme Rule rules-v2 firing templates-v2",
    ]);
    const why = "select detail from earshot.alert_events where what = 'Resolved' and detail like 'its rule%'";
    expect(await story.query(why)).toEqual([{ detail: "its rule is no longer there; 1 mention in all" }]);
  });

  test("a message that waits for a receiver is a dead letter once no version has the receiver", async () => {
    const story = await begin({ rules: { unhappy: rule(0) }, routes: [{ receivers: ["alerts"] }] });
    const isAway = { method: "chat.postMessage", answer: { status: 503, body: "" } } as const;
    story.slack.faults.push(isAway, isAway, isAway);
    story.at("09:01").mention("Acme", { sentiment: "negative", author: "ann" });
    const moved = story.until("09:05");
    await vi.waitFor(() => expect(story.slack.faults.length).toBeLessThan(3), { timeout: 20_000 });
    const without = await versionOf(story, 1, "crisis");
    const receivers = story.config.receivers.filter(({ name }) => name !== "alerts");
    await take(story, { ...without, config: { ...without.config, receivers } });
    await moved;
    story.at("09:06").mention("Acme", { sentiment: "negative", author: "ann" });
    await story.until("09:10");
    const states = "select receiver, state, last_error from earshot.notifications order by receiver";
    expect(await story.query(states)).toEqual([
      { receiver: "alerts", state: "dead", last_error: 'no receiver "alerts" is configured' },
      { receiver: "crisis", state: "sent", last_error: null },
    ]);
    expect(await versions(story, "#crisis")).toEqual([[1]]);
  });

  test("an alert of a rule that is missing here ends only if no other process may know the rule", async () => {
    const story = await begin({ rules: { unhappy: rule(0) }, routes: [{ receivers: ["alerts"] }] });
    const { processes } = story.earshot.stores;
    const nameOf = await versionsOfDigests(story.earshot.stores);
    const other = {
      ...{ id: uuid7(story.clock.now()), host: "web-1", pid: 1, roles: ["tick"] },
      ...{ version: nameOf("digest 1"), refused: null, answered: null },
      loop: { meanMs: 0, maxMs: 0 },
    };
    const report = () => processes.report(other);
    const reporting = setInterval(report, 500);
    try {
      await report();
      await take(
        story,
        await versionOf(story, 1, "alerts", { unhappy: rule(1), fresh: rule(1, "{ keyword: recall }") }),
      );
      story.at("09:01").mention("Acme", { snippet: "A recall, please" });
      await story.until("09:05");
      // As if this were a job that began before the process loaded the version with the new rule.
      await take(story, await versionOf(story, 2, "alerts"));
      await story.until("09:25");
      const states = () =>
        story.query<{ state: string }>("select state from earshot.alerts where rule = 'fresh'");
      expect(await states()).toEqual([{ state: "firing" }]);
      other.version = nameOf("digest 2");
      await report();
      await story.until("09:45");
      expect(await states()).toEqual([{ state: "resolved" }]);
    } finally {
      clearInterval(reporting);
    }
  });
});
