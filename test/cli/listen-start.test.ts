import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { dropSiblingDatabase } from "../../src/monitor/store/sibling-database.ts";
import type { Bundle } from "../bundle.ts";
import { rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { bundleEarshot, mainOf } from "./run-earshot.ts";

const closing = createClosing();
let bundle: Bundle;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  bundle = await bundleEarshot();
  closing.add(bundle.remove);
  folder = await mkdtemp(join(tmpdir(), "earshot-newcomer-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  const database = await createTestDatabase();
  closing.add(database.drop);
  const demoName = `${new URL(database.url).pathname.slice(1)}_demo`;
  closing.add(() => dropSiblingDatabase(database.url, demoName));
  const { PATH = "", HOME = "" } = process.env;
  env = { PATH, HOME, DATABASE_URL: database.url, EARSHOT_HOME: join(folder, ".earshot") };
}, 120_000);
afterAll(() => closing.close());

/** Starts `earshot` as people do; `said` grows. */
function start(words: readonly string[]) {
  const child = spawn(process.execPath, [mainOf(bundle), ...words], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  closing.add(async () => void child.kill("SIGKILL"));
  const ran = { said: "", ended: once(child, "exit"), child };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      ran.said += text;
    });
  return ran;
}

/** What a reader of the Inbox sees. */
const inboxOf = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/inbox`, { headers: { accept: "text/html" } });
  return (await answer.text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
};

test(
  "a newcomer has the first Slack message in the local inbox within two minutes of earshot listen",
  async () => {
    const server = await startFeedServer();
    closing.add(server.close);
    const date = new Date(systemClock.now()).toUTCString();
    const item = (guid: string, title: string) => ({
      guid,
      title,
      link: `https://blog.example/${guid}`,
      date,
    });
    server.pages.set("/blog", {
      body: rssDocument([item("1", "The new kettle of Acme Corp is wonderful"), item("2", "Weather")]),
    });
    server.pages.set("/forum", {
      body: rssDocument([item("3", "I hate AcmeCorp: terrible, broken, a horrible disaster")]),
    });
    const feeds = ["--feed", `${server.url}/blog`, "--feed", `${server.url}/forum`];
    const began = systemClock.now();
    const ran = start(["listen", "Acme", "acme corp", ...feeds, "--port", "0"]);
    const address = () => /Console: +(http:\S+)/.exec(ran.said)?.[1];
    await until(
      "it says where the console is",
      async () => address() !== undefined || ran.child.exitCode !== null,
      {
        withinMs: 2 * MINUTE,
      },
    );
    expect(ran.said).toContain("Wrote earshot.yaml, and 5 rules with tests in rules-acme.");
    expect(ran.said).toMatch(/\/blog: 2 items, 1 matched/);
    const url = address() ?? "";
    await until(
      "both alerts are in the Inbox",
      async () => {
        const shown = await inboxOf(url);
        return shown.includes("wonderful") && shown.includes("horrible disaster");
      },
      { withinMs: 2 * MINUTE - (systemClock.now() - began), everyMs: 500 },
    );
    const shown = await inboxOf(url);
    expect(shown).toContain("#brand-alerts");
    // The model of this machine found the unhappy one, which has a rule of its own.
    expect(shown).toMatch(/WARNING \S+ \S+ is negative about Acme/);
    // Its messages have buttons, and a click of the local Slack counts.
    expect(shown).toContain("Acknowledge");
    ran.child.kill("SIGINT");
    await ran.ended;
  },
  3 * MINUTE,
);

test(
  "the rules that it wrote pass the tests that it wrote",
  async () => {
    const ran = start(["test"]);
    await ran.ended;
    expect(ran.said).toContain("5 rule tests: 5 passed, 0 failed");
  },
  5 * MINUTE,
);

test(
  "the first-run page of the demo writes the files, and the monitor takes its place",
  async () => {
    for (const name of ["earshot.yaml", "rules-acme"])
      await rm(join(folder, name), { recursive: true, force: true });
    const ran = start(["start", "--port", "0"]);
    const addresses = () =>
      [...ran.said.matchAll(/Console: +(http:\S+)/g)].map(([, address = ""]) => address);
    await until("the demo runs", () => addresses().length === 1, { withinMs: 2 * MINUTE });
    const [url = ""] = addresses();
    const page = await fetch(`${url}/setup`, { headers: { accept: "text/html" } });
    const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const cookie = page.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const fields = { token, brand: "Acme", addresses: "https://blog.invalid/feed" };
    const body = new URLSearchParams(fields);
    const answer = await fetch(`${url}/setup/write`, { method: "POST", body, headers: { cookie } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("The demo ends")]);
    await until("the monitor runs", () => addresses().length === 2, { withinMs: 2 * MINUTE });
    expect(addresses()[1]).toBe(url);
    expect(await (await fetch(`${url}/feeds.json`)).json()).toMatchObject({
      feeds: [{ name: "blog.invalid/feed" }],
    });
    ran.child.kill("SIGINT");
    await ran.ended;
  },
  5 * MINUTE,
);
