import { expect, test } from "vitest";
import { createManualClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { createAttempts } from "../../src/web/door/attempts.ts";
import { createSessions, SESSION_MS } from "../../src/web/door/sessions.ts";
import { checkSettings } from "../../src/web/settings.ts";

const LOGIN = { username: "team", password: "correct horse" };
const NOON = Date.parse("2026-03-03T12:00:00Z");

test("a page on a network without a login is refused, with what to do", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.7", "earshot.example"]) {
    expect(() => checkSettings({ host, port: 0, timezone: "UTC" })).toThrow("let everybody in");
    expect(() => checkSettings({ host, port: 0, timezone: "UTC", login: LOGIN })).not.toThrow();
  }
  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    expect(() => checkSettings({ host, port: 0, timezone: "UTC" })).not.toThrow();
  }
});

test("a session is open until it expires, in every process of the same login", async () => {
  const clock = createManualClock(NOON);
  const [one, other] = await Promise.all([createSessions(LOGIN, clock), createSessions(LOGIN, clock)]);
  const session = one.open();
  expect(other.isOpen(session)).toBe(true);
  clock.advance(SESSION_MS);
  expect(one.isOpen(session)).toBe(false);
});

test("a session that was tampered with, closed, or signed under another password is not open", async () => {
  const clock = createManualClock(NOON);
  const sessions = await createSessions(LOGIN, clock);
  const changed = await createSessions({ ...LOGIN, password: "battery staple" }, clock);
  const session = sessions.open();
  expect(changed.isOpen(session)).toBe(false);
  expect(sessions.isOpen(session.replace(/^\d+/, String(NOON + 10 * SESSION_MS)))).toBe(false);
  expect(sessions.isOpen(undefined)).toBe(false);
  expect(sessions.isOpen("")).toBe(false);
  sessions.close(session);
  expect(sessions.isOpen(session)).toBe(false);
});

test("a form token belongs to its cookie and is no session", async () => {
  const sessions = await createSessions(LOGIN, createManualClock(NOON));
  const token = sessions.formToken("cookie");
  expect(sessions.isFormToken("cookie", token)).toBe(true);
  expect(sessions.isFormToken("another", token)).toBe(false);
  expect(sessions.isFormToken(undefined, token)).toBe(false);
  expect(sessions.isOpen(token)).toBe(false);
});

test("an address that failed five times waits out the minute, others do not", () => {
  const clock = createManualClock(NOON);
  const attempts = createAttempts(clock);
  for (let i = 0; i < 5; i++) {
    expect(attempts.waitMs("10.0.0.1")).toBe(0);
    attempts.failed("10.0.0.1");
    clock.advance(1000);
  }
  expect(attempts.waitMs("10.0.0.1")).toBe(MINUTE - 5000);
  expect(attempts.waitMs("10.0.0.2")).toBe(0);
  clock.advance(MINUTE - 5000);
  expect(attempts.waitMs("10.0.0.1")).toBe(0);
});

test("who has many addresses waits as well", () => {
  const attempts = createAttempts(createManualClock(NOON));
  for (let i = 0; i < 50; i++) attempts.failed(`10.0.0.${i}`);
  expect(attempts.waitMs("10.1.1.1")).toBe(MINUTE);
});
