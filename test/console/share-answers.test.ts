import { expect, test } from "vitest";
import { shareAnswers } from "../../src/console/share-answers.ts";
import { createManualClock, systemClock } from "../../src/lib/clock.ts";
import { startTestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");

test("whoever reads alone always gets a new answer, a crowd one of the last second", async () => {
  const clock = createManualClock(NOW);
  const { of } = shareAnswers(clock);
  let made = 0;
  const ask = () => of("/", async () => ++made);
  for (let reader = 1; reader <= 10; reader++) expect(await ask()).toBe(reader);
  expect(await ask()).toBe(10);
  expect(await of("/alerts", async () => "another page")).toBe("another page");
  clock.advance(999);
  expect(await ask()).toBe(10);
  clock.advance(1);
  expect(await ask()).toBe(11);
});

test("an answer older than a second is made again, however many ask", async () => {
  const clock = createManualClock(NOW);
  const { of } = shareAnswers(clock);
  await of("/", async () => "old");
  clock.advance(1_000);
  for (let other = 0; other < 10; other++) await of(`/${other}`, async () => other);
  expect(await of("/", async () => "new")).toBe("new");
});

test("a failure is not shared", async () => {
  const clock = createManualClock(NOW);
  const { of } = shareAnswers(clock);
  for (let reader = 0; reader < 10; reader++) await of("/", async () => "fine");
  await expect(of("/alerts", () => Promise.reject(new Error("the database is away")))).rejects.toThrow();
  expect(await of("/alerts", async () => "fine again")).toBe("fine again");
});

test("two hundred readers of a page cost the database a few; each has a form of their own", async () => {
  let counted = 0;
  const login = { username: "team", password: "correct horse" };
  const web = await startTestConsole(NOW, {
    settings: { login },
    // All of them ask within one second.
    deps: { wall: createManualClock(systemClock.now()) },
    defaults: ({ facts }) => ({
      facts: {
        ...facts,
        countOpenAlerts: () => {
          counted++;
          return facts.countOpenAlerts();
        },
      },
    }),
  });
  const authorization = `Basic ${Buffer.from("team:correct horse").toString("base64")}`;
  const readers = Array.from({ length: 200 }, () =>
    fetch(`${web.url}/mentions`, { headers: { accept: "text/html", authorization } }),
  );
  const statuses = (await Promise.all(readers)).map(({ status }) => status);
  // The rest was refused: so many may wait for a turn.
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(40);
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(counted).toBeLessThan(15);
  await web.close();
});
