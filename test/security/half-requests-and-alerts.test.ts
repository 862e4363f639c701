import { afterEach, expect, test } from "vitest";
import { createConsole } from "../../src/console/create-console.ts";
import { createLog } from "../../src/lib/log.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import { onAnyEngine } from "../flows/on-every-engine.ts";
import { VERIFIED } from "../flows/rules.ts";
import { until as waitUntil } from "../until.ts";
import { type Held, holdMany, letGo, portOf } from "./hold-open.ts";

const HALF_A_LOGIN = [
  "POST /login HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Length: 9000",
  "",
  "u",
].join("\r\n");

let held: readonly Held[] = [];
afterEach(() => {
  letGo(held);
  held = [];
});

onAnyEngine((begin) => {
  test("an alert is delivered while 2,000 half requests are held against the page, and all of them end", async () => {
    const { at, until, posted, databaseUrl } = await begin({ rules: { "verified-negative": VERIFIED } });
    const database = openDatabase({ url: databaseUrl, onError: () => {} });
    const stores = createStores(database.db);
    const page = await createConsole(
      {
        facts: createConsoleStore(database.db),
        secret: "for tests",
        stored: stores,
        clock: { now: () => 0, speed: 1 },
        inbox: null,
        health: { ready: async () => [] },
        log: createLog({ level: "silent" }),
        // Long enough for all that is to be seen meanwhile; the default is half a minute.
        requestTimeoutMs: 4_000,
      },
      {
        host: "127.0.0.1",
        port: 0,
        timezone: "UTC",
        login: { username: "team", password: "correct horse" },
      },
    );
    try {
      const url = await page.listen();
      held = await holdMany(portOf(url), HALF_A_LOGIN, 2_000);
      let letGoOf = 0;
      const gone = Promise.all(held.map((one) => one.gone.then(() => letGoOf++)));

      // The descriptors of the process are for its work: half of the callers were let go of for the others.
      await waitUntil("half of them are let go of", () => letGoOf >= 1_000, { withinMs: 5_000 });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/login`)).status).toBe(200);
      at("09:02").mention("Acme", { sentiment: "negative", twitterVerified: true, fullname: "Bo" });
      await until("09:10");
      expect(await posted("#alerts")).toHaveLength(1);

      await gone;
      const answers = held.slice(-10).map((one) => one.answer().split("\r\n", 1)[0]);
      expect(answers).toEqual(Array.from({ length: 10 }, () => "HTTP/1.1 408 Request Timeout"));
    } finally {
      await page.close();
      await database.close();
    }
  });
});
