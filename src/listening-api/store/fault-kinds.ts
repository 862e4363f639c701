import { z } from "zod";
import { closestWord } from "../../lib/closest-word.ts";
import { parseDuration } from "../../lib/duration.ts";
import { MINUTE, SECOND } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";

/** What can be made to go wrong. */
export const FAULT_KINDS = {
  "429": {
    what: "429 with the rate limit headers of the client; with an amount also Retry-After",
    amount: { unit: "duration", byDefault: null },
  },
  "500": { what: "500 in the error envelope", amount: null },
  "502": { what: "502 with a page of HTML, as gateways answer", amount: null },
  "503": { what: "503 with an empty body", amount: null },
  slow: {
    what: "the answer comes late, by 5s or the amount",
    amount: { unit: "duration", byDefault: 5 * SECOND },
  },
  dropped: { what: "the connection breaks without an answer", amount: null },
  truncated: { what: "half of the body, as if that were all of it", amount: null },
  "hang-up": { what: "half of the body, then the connection breaks", amount: null },
  "token-revoked": { what: "the token of the call is revoked: 401 from then on", amount: null },
  "cursor-refused": { what: "400 to a call that carries a cursor", amount: null },
  "cursor-ends": { what: "no nextCursor on the last page", amount: null },
  duplicates: {
    what: "a later page begins with the last 2 (or the amount of) rows of the page before",
    amount: { unit: "count", byDefault: 2 },
  },
  "empty-page": {
    what: "a page without mentions, although there are some; the cursor stays where it is",
    amount: null,
  },
  "wrong-total": {
    what: "resultsTotal is too high by 7, or by the amount",
    amount: { unit: "count", byDefault: 7 },
  },
  late: {
    what: "mentions appear up to 10m (or the amount) late and out of order; the probability is the share of mentions",
    amount: { unit: "duration", byDefault: 10 * MINUTE },
  },
} as const satisfies Readonly<Record<string, FaultKindTerms>>;

export type FaultKind = keyof typeof FAULT_KINDS;

export const FaultKindName = z.enum(Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]]);

interface FaultKindTerms {
  readonly what: string;
  /** Durations are kept in milliseconds. Null: the kind takes no amount. */
  readonly amount: { readonly unit: "duration" | "count"; readonly byDefault: number | null } | null;
}

/** Reads `2s`, `10m` or `3`, whichever the kind takes; a sentence about what is wrong otherwise. */
export function readFaultAmount(kind: FaultKind, text: string): number | string {
  const terms: FaultKindTerms = FAULT_KINDS[kind];
  if (terms.amount === null) return `${kind} takes no amount, got ${storableJson(text)}.`;
  if (terms.amount.unit === "count") {
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
    return `the amount of ${kind} is a number of rows such as 3, got ${storableJson(text)}.`;
  }
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return Math.round(ms);
  return `the amount of ${kind} is a duration such as 2s or 10m, got ${storableJson(text)}.`;
}

/** The amount of a fault, or the usual one of its kind. */
export function amountOf(fault: { readonly kind: FaultKind; readonly amount: number | null }): number {
  const terms: FaultKindTerms = FAULT_KINDS[fault.kind];
  return fault.amount ?? terms.amount?.byDefault ?? 0;
}

/** Asks for faults of one call, where the server runs in test mode. */
export const FAULT_HEADER = "x-earshot-fault";

interface AskedFault {
  readonly kind: FaultKind;
  readonly amount: number | null;
}

/** `slow=200ms, truncated` → what is to go wrong with this call, or a sentence about what is wrong with the header. */
export function readFaultHeader(text: string): AskedFault[] | string {
  const faults: AskedFault[] = [];
  for (const part of text.split(",").map((word) => word.trim())) {
    const [name = "", amountText] = part.split("=", 2);
    const kind = FaultKindName.safeParse(name);
    if (!kind.success) return `${FAULT_HEADER}: ${unknownFault(name)}`;
    const amount = amountText === undefined ? null : readFaultAmount(kind.data, amountText);
    if (typeof amount === "string") return `${FAULT_HEADER}: ${amount}`;
    faults.push({ kind: kind.data, amount });
  }
  return faults;
}

/** The message for an unknown kind. */
export function unknownFault(name: string): string {
  const meant = closestWord(name, FaultKindName.options);
  const known = FaultKindName.options.join(", ");
  return `there is no fault ${storableJson(name.slice(0, 40))}${meant === undefined ? "" : `, perhaps ${meant}`}; known are ${known}.`;
}
