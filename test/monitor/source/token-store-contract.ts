import { expect, test } from "vitest";
import type { TokenStore } from "../../../src/monitor/source/session.ts";

/** What every token store keeps to. `open` gives stores that share one token, as workers do; empty at first. */
export function describeTokenStore(open: (count: number) => Promise<readonly TokenStore[]>): void {
  const openTwo = async (): Promise<[TokenStore, TokenStore]> => {
    const [one, other] = await open(2);
    if (one === undefined || other === undefined) throw new Error("the contract needs two stores");
    return [one, other];
  };

  test("a token that one worker stores is used by the other", async () => {
    const [one, other] = await openTwo();
    expect(await one.get()).toBeNull();
    await one.put({ token: "a", expiresAt: 1_000 });
    expect(await other.get()).toEqual({ token: "a", expiresAt: 1_000 });
    await other.put({ token: "b", expiresAt: 2_000 });
    expect(await one.get()).toEqual({ token: "b", expiresAt: 2_000 });
  });

  test("removing a token leaves a newer one alone", async () => {
    const [one, other] = await openTwo();
    await one.put({ token: "new", expiresAt: 1_000 });
    await other.remove("old");
    expect((await one.get())?.token).toBe("new");
    await other.remove("new");
    expect(await one.get()).toBeNull();
  });

  test("only one worker at a time is inside, and a failure lets the next one in", async () => {
    const [one, other] = await openTwo();
    const steps: string[] = [];
    const work = async (name: string): Promise<void> => {
      steps.push(`${name} in`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} out`);
      if (name === "a") throw new Error("broken");
    };
    const results = await Promise.allSettled([
      one.exclusively(() => work("a")),
      other.exclusively(() => work("b")),
      one.exclusively(() => work("c")),
    ]);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    for (let at = 0; at < steps.length; at += 2) {
      expect(steps[at + 1]).toBe(steps[at]?.replace("in", "out"));
    }
    expect(steps).toHaveLength(6);
  });

  test("the caller gets the result of the work", async () => {
    const [one] = await openTwo();
    expect(await one.exclusively(async () => 7)).toBe(7);
  });
}
