import { expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { UserError } from "../../src/lib/errors.ts";
import { createLog } from "../../src/lib/log.ts";

test("a reload with a changed `listen` says in one sentence that it needs a restart", async () => {
  const hook = { name: "hook", kind: "webhook", url: "https://hook.example/" };
  const account = {
    source: { baseUrl: "https://api.example", username: "a", password: "b", clientId: "c" },
    receivers: [hook],
    routes: [{ receivers: ["hook"] }],
  };
  const before = await parseConfig(account);
  const log = createLog({ level: "silent" });
  const parts = { databaseUrl: "postgres://nowhere", fetches: false, clock: systemClock, log };
  const listening = await withListening(before, parts, createClosing());
  const now = await parseConfig({
    ...account,
    listen: { queries: [{ name: "Acme", text: "acme" }], feeds: [{ kind: "hacker-news" }] },
  });
  const refused = (): UserError => {
    try {
      listening.configOf(now);
    } catch (error) {
      if (error instanceof UserError) return error;
    }
    throw new Error("the reload was not refused");
  };
  // Details replace the sentence where a reload reports faults.
  expect(refused()).toMatchObject({
    message: expect.stringContaining("`listen` was changed, which needs a restart"),
    details: [],
  });
});
