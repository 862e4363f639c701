import { expect, test, vi } from "vitest";
import { until } from "../until.ts";
import { onEveryEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import { asAdministrator } from "./story.ts";

const REFUSE = `
create function refuse() returns trigger language plpgsql as $$ begin raise exception 'out of ink'; end $$;
create trigger refuse before update on earshot.digests for each row execute function refuse()`;

onEveryEngine((begin) => {
  test("a digest that cannot be built becomes a dead letter, is reported, and is built when replayed", async () => {
    const story = await begin({
      from: "06:30",
      rules: { negative: NEGATIVE },
      digests: [{ name: "morning-read", at: "08:00", timezone: "Europe/Berlin", receivers: ["team"] }],
      operator: { receivers: ["on-call"] },
    });
    await asAdministrator(story.databaseUrl, REFUSE);
    const living = story.until("07:05");
    // Nine tries are as good as behind us.
    await vi.waitFor(
      async () =>
        expect(
          await story.query(
            "update earshot.failures set times = 9 where kind = 'job' and times < 9 returning 1",
          ),
        ).toHaveLength(1),
      { timeout: 20_000, interval: 20 },
    );
    await living;
    expect(await story.earshot.stores.deadLetters.open(5)).toMatchObject([
      { kind: "job", scope: "build-digest 2026-03-02 morning-read", reason: "out of ink", tries: 10 },
    ]);
    expect((await story.earshot.sweep()).digests).toBe(0);
    await story.earshot.checkHealth();
    expect(story.mailed("on-call@acme.example")).toEqual([
      "[WARNING] Earshot: the digest morning-read of 2026-03-02 is not sent: it failed at every try",
    ]);
    expect(story.smtp.mails[0]?.parsed.text).toContain("earshot dead-letters replay");

    // A try that began before it was given up may still run: its failure would make the digest wait for its next try.
    const busy = async () =>
      (await story.earshot.queueCounts()).reduce((sum, { waiting, active }) => sum + waiting + active, 0);
    await until("no try is under way", async () => (await busy()) === 0, { withinMs: 20_000 });
    await asAdministrator(story.databaseUrl, "drop trigger refuse on earshot.digests");
    expect(await story.earshot.stores.deadLetters.replay("all", story.clock.now())).toBe(1);
    await story.settle();
    expect(story.mailed("team@acme.example")).toHaveLength(1);
    expect(await story.earshot.stores.deadLetters.open(5)).toEqual([]);
    story.clock.advance(3 * 60_000);
    await story.earshot.checkHealth();
    expect(await story.query("select state from earshot.alerts where project_id = 'all'")).toEqual([
      { state: "resolved" },
    ]);
  });
});
