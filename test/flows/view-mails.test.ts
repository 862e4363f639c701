import { expect, test } from "vitest";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { onAnyEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";

onAnyEngine((begin) => {
  test("a view comes to a user on Monday at eight, once, with any number of processes and sweeps", async () => {
    const story = await begin({
      rules: { negative: NEGATIVE },
      source: { pollEvery: "6h", updatesEvery: "12h" },
    });
    const { at, until, mailed, smtp, clock, earshot } = story;
    const { users, views } = earshot.stores;
    const other = await story.join();
    const id = uuid7(clock.now());
    await users.add({
      ...{ id: uuid7(clock.now()), name: "Ann", role: "viewer", email: "ann@acme.example" },
      ...{ passwordHash: null, openId: null, createdAt: clock.now(), createdBy: "test" },
    });
    await views.add({
      ...{ id, nameKey: "ann", title: "Our week", address: "/insights?last=7d" },
      ...{ isShared: false, createdAt: clock.now() },
    });
    await views.mail(id, "ann", "Europe/Berlin", clock.now());
    at("day 3 10:00").mentions("Acme", { count: 4, every: "1m", sentiment: "negative" });
    at("day 7 22:30").mentions("Acme", { count: 3, every: "1m", sentiment: "positive" });
    // Monday in Berlin.
    at("day 7 23:10").mentions("Acme", { count: 5, every: "1m", sentiment: "positive" });
    await until("day 8 06:50", "12h");
    expect(mailed("ann@acme.example")).toEqual([]);
    await until("day 8 07:00");
    await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? earshot : other).sweep()));
    await story.settle();
    await until("day 8 09:00", "1h");
    expect(mailed("ann@acme.example")).toEqual(["Our week, 2 to 8 March 2026: 7 mentions, 57% negative"]);
    const text = smtp.mails.find(({ to }) => to.includes("ann@acme.example"))?.parsed.text;
    expect(text).toContain("7 mentions");
    expect(text).not.toContain("NOT COMPLETE");
  });
});
