import fc from "fast-check";
import { inject } from "vitest";

/**
 * How often a property runs: as often as given where everything is tested (`npm run test:all`), and 20 times at most in
 * `npm test`.
 *
 *     fc.assert(property, { numRuns: runs(500) });
 */
export function runs(thorough: number): number {
  return inject("isThorough") ? thorough : Math.min(thorough, 20);
}

// As a setup file of every project: for properties that name no number.
fc.configureGlobal({ numRuns: runs(100) });
