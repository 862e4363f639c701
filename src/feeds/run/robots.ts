import { toUSVString } from "node:util";
import { textOfBytes } from "./text-of-bytes.ts";

/** The rules of a robots.txt that concern us, the longest first. A path that none of them matches is allowed. */
export type RobotsRules = readonly { readonly allows: boolean; readonly pattern: string }[];

/** By this name a robots.txt can address us; it is the beginning of our User-Agent. */
const OUR_NAME = "earshot";
/** RFC 9309 wants 500 KiB to be read. */
const LONGEST = 512_000;
const MOST_RULES = 1_000;
const LONGEST_PATTERN = 500;

/**
 * The rules for us, else those for everybody (RFC 9309). Groups of the same name are one; lines that are no rule are
 * left out, and so is what is too much. Nothing of other groups is kept: a file may name 10,000 programs.
 */
export function readRobots(bytes: Uint8Array): RobotsRules {
  const cut = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, LONGEST));
  const groups = { ours: [] as RobotsRules[number][], all: [] as RobotsRules[number][] };
  let isOurs = false;
  let isAll = false;
  let hasOurs = false;
  /** Several names may stand above the rules of one group. */
  let isNaming = false;
  const lines = textOfBytes(cut, null).split(/[\r\n]/);
  // Half a rule forbids more than the whole one.
  if (bytes.byteLength > LONGEST) lines.pop();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const key = line.slice(0, colon).trim().toLowerCase();
    const value = (line.slice(colon + 1).split("#", 1)[0] ?? "").trim();
    if (key === "user-agent") {
      if (!isNaming) [isOurs, isAll] = [false, false];
      isNaming = true;
      if (value === "*") isAll = true;
      // The name alone counts: `Earshot/0.1` means us, too.
      if (/^[a-z_-]*/i.exec(value)?.[0].toLowerCase() === OUR_NAME) [isOurs, hasOurs] = [true, true];
    } else if (key === "allow" || key === "disallow") {
      isNaming = false;
      // An empty rule forbids nothing.
      if (value === "" || value.length > LONGEST_PATTERN) continue;
      const rule = { allows: key === "allow", pattern: normal(value) };
      if (isOurs && groups.ours.length < MOST_RULES) groups.ours.push(rule);
      if (isAll && groups.all.length < MOST_RULES) groups.all.push(rule);
    }
  }
  // The most octets win, and where they are as many, what allows.
  return (hasOurs ? groups.ours : groups.all).sort(
    (a, b) => b.pattern.length - a.pattern.length || Number(b.allows) - Number(a.allows),
  );
}

/** Whether the rules let us ask for a page. The robots.txt itself always may be. */
export function isAllowed(rules: RobotsRules, url: string): boolean {
  const { pathname, search } = new URL(url);
  if (pathname === "/robots.txt") return true;
  const path = normal(`${pathname}${search}`);
  return rules.find(({ pattern }) => matches(pattern, path))?.allows ?? true;
}

/** From the beginning of the path: `*` stands for anything, `$` at the end for the end of the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const [start = "", ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(start)) return false;
  let at = start.length;
  const last = isWhole ? parts.pop() : undefined;
  // The first place where a part fits leaves the most for those behind it: nothing is tried twice.
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (last !== undefined) return path.length - last.length >= at && path.endsWith(last);
  return !isWhole || at === path.length;
}

/** Octets outside of ASCII, and those that are escaped without need, compare as one form. */
function normal(path: string): string {
  return path
    .replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
      const octet = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[\w.~-]/.test(octet) ? octet : escaped.toUpperCase();
    })
    .replaceAll(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(toUSVString(text)));
}
