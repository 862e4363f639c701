import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { readDate } from "../../lib/read-date.ts";

/** For a flag that may be repeated. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** For a flag `name=value` that may be repeated. */
export function collectPairs(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError(`Expected name=value, got "${text}".`);
  return { ...before, [name]: value };
}

export function toDurationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError(`Expected a duration such as 90s, 5m or 7d, got "${text}".`);
}

export function toMoment(text: string): Instant {
  const at = readDate(text, {});
  if (at !== undefined) return at;
  throw new InvalidArgumentError(
    `Expected a date or date-time such as 2026-03-01 or 2026-03-01T12:00:00Z, got "${text}".`,
  );
}

export function toCount(text: string): number {
  const count = Number(text);
  if (text.trim() !== "" && Number.isInteger(count) && count > 0 && count < 2 ** 31) return count;
  throw new InvalidArgumentError(`Expected a whole number above 0, got "${text}".`);
}

export function toProbability(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*%$/.exec(text);
  const probability = match === null ? Number(text) : Number(match[1]) / 100;
  if (text.trim() !== "" && probability >= 0 && probability <= 1) return probability;
  throw new InvalidArgumentError(`Expected a number from 0 to 1 or a percentage such as 20%, got "${text}".`);
}
