import { closestWord } from "../../lib/closest-word.ts";
import { type FaultKind, FaultKindName, readFaultAmount } from "./fault-kinds.ts";

/** Asks for faults of one call, where the server runs in test mode. */
export const FAULT_HEADER = "x-earshot-fault";

export interface AskedFault {
  readonly kind: FaultKind;
  readonly amount: number | null;
}

/** `slow=200ms, truncated` → what is to go wrong with this call, or a sentence about what is wrong with the header. */
export function readFaultHeader(text: string): AskedFault[] | string {
  const asked: AskedFault[] = [];
  for (const part of text.split(",").map((word) => word.trim())) {
    const [name = "", amountText] = part.split("=", 2);
    const kind = FaultKindName.safeParse(name);
    if (!kind.success) return `${FAULT_HEADER}: ${unknownFault(name)}`;
    const amount = amountText === undefined ? null : readFaultAmount(kind.data, amountText);
    if (typeof amount === "string") return `${FAULT_HEADER}: ${amount}`;
    asked.push({ kind: kind.data, amount });
  }
  return asked;
}

/** The message for an unknown kind. */
export function unknownFault(name: string): string {
  const meant = closestWord(name, FaultKindName.options);
  const known = FaultKindName.options.join(", ");
  return `there is no fault ${JSON.stringify(name.slice(0, 40))}${meant === undefined ? "" : `, perhaps ${meant}`}; known are ${known}.`;
}
