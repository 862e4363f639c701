import type { Instant } from "../../lib/instant.ts";

/**
 * Behaviour of a server of the Listening API that its documentation leaves open. Earshot observes it: the quirks by
 * name, and the meaning of each value for people. A quirk without a value was not observed yet.
 */
export const QUIRKS = {
  "since-added": {
    what: "Asked for what is new (sinceAdded)",
    accepted: "it answers; whether it leaves out older mentions is not known yet",
    honoured: "it sends only these",
    ignored: "it sends everything: Earshot reads the newest first and stops at known mentions",
    refused: "it refuses: Earshot reads the newest first and stops at known mentions",
  },
  "since-updated": {
    what: "Asked for what has changed (sinceUpdated)",
    accepted: "it answers; whether it leaves out older mentions is not known yet",
    honoured: "it sends only these",
    ignored: "it sends everything: Earshot reads the latest change first and stops at known changes",
    refused: "it refuses: Earshot reads the latest change first and stops at known changes",
  },
  addresses: {
    what: "Addresses",
    long: "may be long: hundreds of queries share a call",
    short: "are refused when they are long: 200 queries share a call at most",
  },
  groups: {
    what: "Groups of queries",
    answered: "stand for their queries: one id in an address asks for all of them",
    "without-query": "are answered without saying whose a mention is: Earshot names each query itself",
    refused: "are refused: Earshot names each query itself",
    none: "are none in the account",
  },
  cursors: {
    what: "Reading on, page after page",
    followed: "works",
    expire: "works for a while only: Earshot then asks for pages by number for an hour",
    refused: "is refused: Earshot asks for pages by number, 10,000 mentions at a time",
  },
  "last-page": {
    what: "The last page of a list",
    "with-cursor": "looks like any other: Earshot asks once more to see that nothing follows",
    "without-cursor": "is marked as the last",
    again:
      "comes again and again as if it were a new one: Earshot stops there, and what may lie behind it is not read",
  },
  "short-pages": {
    what: "Pages with fewer mentions than asked for",
    "go-on": "are not the last: Earshot reads on until a page is empty or the total is reached",
  },
  "after-end": {
    what: "Reading on after the last page",
    resumes:
      "brings later mentions; Earshot still reads again from where it was sure, because some come late",
    silent: "brings no later mentions",
    refused: "is refused",
  },
  "repeated-rows": {
    what: "Pages",
    seen: "repeat mentions of the page before: each is stored and counted once",
  },
  "late-indexing": {
    what: "Mentions",
    seen: "come late, behind newer ones; Earshot reads back further than that with every poll",
  },
  "restamped-added": {
    what: "Known mentions",
    seen: "come again as if they were new, as after a backfill: they are neither new nor counted again",
  },
  total: {
    what: "The total of the server",
    agrees: "agrees with what it sends",
    high: "is higher than what it sends, however often it is asked: such gaps are asked for less and less",
    low: "is lower than what it sends",
    none: "is missing: Earshot cannot compare its count",
  },
  edits: {
    what: "Corrections of sentiments and categories (source.writeCorrections)",
    accepted: "are taken",
    refused: "are refused: it has no such call, or this login may not edit; Earshot tries again once a day",
  },
  dates: {
    what: "The dates of mentions",
    missing: "are sometimes missing: Earshot uses the time of arrival instead",
  },
  clock: {
    what: "The clock of the server",
    agrees: "agrees with ours",
    ahead: "runs ahead of ours",
    behind: "runs behind ours",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>> & { readonly what: string }>>;

export type QuirkName = keyof typeof QUIRKS;
type QuirkValue<Name extends QuirkName> = Exclude<keyof (typeof QUIRKS)[Name], "what">;

/** One observed quirk. `ms`: how late, how far ahead; null if that does not apply. */
export type ObservedQuirk = {
  [Name in QuirkName]: { readonly quirk: Name; readonly value: QuirkValue<Name>; readonly ms?: number };
}[QuirkName];

/** A stored quirk. */
export interface ServerQuirk {
  readonly quirk: QuirkName;
  readonly value: string;
  readonly ms: number | null;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

export type ServerQuirks = ReadonlyMap<QuirkName, ServerQuirk>;

/** The value of a quirk in words: `lead from page to page`. */
export function formatQuirk({ quirk, value }: Pick<ServerQuirk, "quirk" | "value">): string {
  const words: Readonly<Record<string, string>> = QUIRKS[quirk];
  return words[value] ?? value;
}

/** In the order in which people read them. */
export function inOrder<Known extends Pick<ServerQuirk, "quirk">>(
  quirks: readonly Known[],
): readonly Known[] {
  const names = Object.keys(QUIRKS);
  return [...quirks].sort((a, b) => names.indexOf(a.quirk) - names.indexOf(b.quirk));
}

export function isQuirkName(name: string): name is QuirkName {
  return Object.hasOwn(QUIRKS, name);
}
