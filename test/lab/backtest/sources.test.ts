import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyFromApi } from "../../../src/lab/backtest/api-mentions.ts";
import { readMentions } from "../../../src/lab/backtest/read-mentions.ts";
import { storedMentions } from "../../../src/lab/backtest/stored-mentions.ts";
import { createManualClock, systemClock } from "../../../src/lib/clock.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { eventAt } from "../../../src/monitor/model/mention.ts";
import { createMemoryTokenStore } from "../../../src/monitor/source/session.ts";
import { createSourceClient } from "../../../src/monitor/source/source-client.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import "../../../src/cli/suggest.ts";
import "../../../src/lab/local/local-parts.ts";
import { runCommand } from "../../cli/run-command.ts";
import { anAlert } from "../../console/make-a-story.ts";
import { startMentionServer } from "../../fakes/mention-server.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-02T08:00:00Z");
const QUERIES = ["1", "2"].map((queryId) => ({
  projectId: "1",
  queryId,
  name: `Query ${queryId}`,
  projectName: "P",
  timezone: "UTC",
}));

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "earshot-sources-"));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

describe("stored mentions", async () => {
  const { stores, database, url } = await useStores();

  it("come from all queries in the order in which they were added, from a moment on", async () => {
    await ensurePartitions(database.db, NOW);
    const all = Array.from({ length: 40 }, (_, index) =>
      aMention({
        queryId: String(1 + (index % 2)),
        resourceId: `m${index}`,
        addedAt: NOW + ((index * 7) % 40) * MINUTE,
      }),
    );
    const rows = stores.mentions.rowsOf(
      all.map((mention) => ({ mention, eventAt: eventAt(mention), story: mention.resourceId })),
    );
    await stores.mentions.storePage("1", rows, NOW);
    const found: number[] = [];
    for await (const { addedAt } of storedMentions(stores, QUERIES, NOW + 10 * MINUTE)) found.push(addedAt);
    expect(found).toEqual(Array.from({ length: 30 }, (_, index) => NOW + (10 + index) * MINUTE));
  });

  it("are what the commands use, with what people said of real alerts", async () => {
    const now = systemClock.now();
    const busy = { projectId: "7", queryId: "9", name: "Busy", projectName: "P", timezone: "UTC" };
    await stores.queries.register([busy], now, now);
    await ensurePartitions(database.db, now);
    const mentions = Array.from({ length: 60 }, (_, index) =>
      aMention({ queryId: "9", resourceId: `s${index}`, addedAt: now - 5 * HOUR + index * MINUTE }),
    );
    const rows = stores.mentions.rowsOf(
      mentions.map((mention) => ({ mention, eventAt: eventAt(mention), story: mention.resourceId })),
    );
    await stores.mentions.storePage("7", rows, now);
    const real = {
      projectId: "7",
      queryId: "9",
      queryName: "Busy",
      rule: "busy-half-hour",
      fingerprint: "f",
    };
    const openedAt = now - 4.5 * HOUR;
    await stores.alerts.save([
      anAlert({ ...real, openedAt, labels: { query: "Busy" }, handling: { relevant: false } }),
    ]);
    const env = { DATABASE_URL: url, EARSHOT_HOME: home };
    const rules = new URL("../../fixtures/replay-rules", import.meta.url).pathname;
    const ran = await runCommand(["backtest", "--last", "1d", "--rules", rules, "--json"], env);
    expect(ran.stderr).toBe("");
    const report = JSON.parse(ran.stdout);
    expect(report).toMatchObject({ mentions: 60, precision: [{ rule: "busy-half-hour", notRelevant: 1 }] });
    expect(report.alerts).toMatchObject([{ rule: "busy-half-hour", query: "Busy" }]);
    const suggested = await runCommand(
      ["suggest", "busy-half-hour", "--last", "1d", "--rules", rules, "--json"],
      env,
    );
    const [{ judged, points }] = JSON.parse(suggested.stdout).thresholds;
    expect(judged).toEqual({ acknowledged: 0, notRelevant: 1 });
    expect(points.at(0).notRelevant).toBe(1);
    expect(points.at(-1)).toMatchObject({ alerts: 0, notRelevant: 0 });
  });
});

describe("a copy from the API", () => {
  it("goes on after the last page if it was interrupted, and is used again without a call", async () => {
    const clock = createManualClock(NOW);
    const server = await startMentionServer(clock, { mostOnPage: 10 });
    const source = createSourceClient({
      baseUrl: server.baseUrl,
      credentials: { username: "u", password: "p", clientId: "c" },
      tokens: createMemoryTokenStore(),
    });
    try {
      for (let at = 0; at < 25; at++) {
        clock.set(NOW + at * MINUTE);
        for (const { queryId } of QUERIES) server.add(queryId, 1);
      }
      const aborter = new AbortController();
      const pages: number[] = [];
      const options = {
        source,
        account: "u",
        queries: QUERIES,
        from: NOW - DAY,
        to: NOW + HOUR,
        pageSize: 10,
        home,
        onProgress: ({ mentions }: { readonly mentions: number }) => {
          pages.push(mentions);
          if (mentions === 35) aborter.abort();
        },
        signal: aborter.signal,
      };
      await expect(copyFromApi(options)).rejects.toThrow();
      const before = server.calls.length;
      const again = {
        ...options,
        to: NOW + 2 * HOUR,
        from: NOW - DAY + HOUR,
        signal: new AbortController().signal,
      };
      const copy = await copyFromApi(again);
      expect(copy.mentions).toHaveLength(50);
      expect(copy.to).toBe(NOW + HOUR);
      const times = copy.mentions.map(({ addedAt }) => addedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(server.calls.length - before).toBeLessThan(before);
      const calls = server.calls.length;
      expect((await copyFromApi(again)).mentions).toHaveLength(50);
      expect(server.calls).toHaveLength(calls);
      for (const file of await readdir(join(home, "backtest")))
        expect((await stat(join(home, "backtest", file))).mode & 0o077).toBe(0);
    } finally {
      await source.close();
      await server.close();
    }
  });
});

describe("a file", () => {
  it("gives mentions once, in order, with what is left out and why", async () => {
    const file = join(home, "mentions.csv");
    await writeFile(
      file,
      "id,brand,author,text,date,sentiment\nb,Acme,ann,Later,2026-03-02T09:00:00Z,negative\na,Acme,bo,Earlier,2026-03-02T08:00:00Z,positive\na,Acme,bo,Twice,2026-03-02T10:00:00Z,positive\nc,,bo,No brand,2026-03-02T08:00:00Z,neutral\nd,Acme,bo,No date,yesterday,neutral\n",
    );
    const { mentions, queries, skipped, withoutBrand } = await readMentions({ file });
    expect(mentions.map(({ text, sentiment }) => [text, sentiment])).toEqual([
      ["Earlier", "positive"],
      ["Later", "negative"],
    ]);
    expect(queries.map(({ name }) => name)).toEqual(["Acme"]);
    expect(skipped.map(({ line }) => line)).toEqual([6]);
    expect(withoutBrand).toBe(1);
    await expect(readMentions({ file: join(home, "none.jsonl") })).rejects.toThrow("there is no such file");
  });
});
