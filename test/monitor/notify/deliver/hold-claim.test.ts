import { expect, test, vi } from "vitest";
import { SECOND } from "../../../../src/lib/instant.ts";
import { holdClaim } from "../../../../src/monitor/notify/deliver/hold-claim.ts";
import { LEASE_SECONDS } from "../../../../src/monitor/store/lease-seconds.ts";

test("renewals come one after the other, and letting go waits for the one under way", async () => {
  const log: string[] = [];
  const claim = holdClaim(async () => {
    log.push("asked");
    await new Promise(setImmediate);
    log.push("answered");
    return true;
  });
  const both = Promise.all([claim.renew(), claim.renew()]);
  await claim.letGo();
  expect(log).toEqual(["asked", "answered", "asked", "answered"]);
  await both;
  expect(claim.lost.aborted).toBe(false);
});

test("a claim that another worker has taken is lost for good, and nobody asks again", async () => {
  let asked = 0;
  const claim = holdClaim(async () => {
    asked += 1;
    return false;
  });
  await expect(claim.renew()).rejects.toThrow("another worker has taken it");
  await expect(claim.renew()).rejects.toThrow("another worker has taken it");
  expect([claim.lost.aborted, asked]).toEqual([true, 1]);
  await claim.letGo();
});

test("a database that is away loses no claim", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve(true)];
  const claim = holdClaim(() => answers.shift() ?? Promise.resolve(true));
  await expect(claim.renew()).rejects.toThrow("away");
  await claim.renew();
  expect(claim.lost.aborted).toBe(false);
  await claim.letGo();
});

test("while a vendor takes its time, the claim is renewed twice before its lease could end", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    let asked = 0;
    const claim = holdClaim(async () => {
      asked += 1;
      return true;
    });
    await vi.advanceTimersByTimeAsync(LEASE_SECONDS * SECOND - 1);
    await claim.letGo();
    expect(asked).toBeGreaterThanOrEqual(2);
  } finally {
    vi.useRealTimers();
  }
});
