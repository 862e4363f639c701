import type { Clock } from "../../lib/clock.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";

/** Counts failed logins, so that a password cannot be tried out. */
export interface Attempts {
  /** Milliseconds until this address may try again; 0: now. */
  waitMs(address: string): number;
  failed(address: string): void;
  succeeded(address: string): void;
}

const WINDOW_MS = MINUTE;
const PER_ADDRESS = 5;
/** Over all addresses together, for who has many. */
const IN_ALL = 50;

/** `clock` is the wall's: this guards against people, not against domain time. */
export function createAttempts(clock: Clock): Attempts {
  let failures: { address: string; at: Instant }[] = [];
  const recent = () => {
    const since = clock.now() - WINDOW_MS;
    failures = failures.filter((failure) => failure.at > since);
    return failures;
  };
  const waitFor = (list: readonly { at: Instant }[], allowed: number): number => {
    const first = list.at(-allowed);
    return first === undefined ? 0 : first.at + WINDOW_MS - clock.now();
  };
  return {
    waitMs: (address) => {
      const all = recent();
      const own = all.filter((failure) => failure.address === address);
      return Math.max(waitFor(own, PER_ADDRESS), waitFor(all, IN_ALL));
    },
    failed: (address) => {
      recent().push({ address, at: clock.now() });
    },
    succeeded: (address) => {
      failures = failures.filter((failure) => failure.address !== address);
    },
  };
}
