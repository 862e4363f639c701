import { compareSeverity } from "../../model/severity.ts";
import type { Outgoing } from "./batch.ts";

/** Puts several alerts into one message: the most important one leads, the others are added to it. */
export function bundle(outgoing: readonly Outgoing[]): Outgoing {
  const all = outgoing.flatMap(({ also = [], ...outgoing }) => [outgoing, ...also]);
  const [leader, ...rest] = inOrderOfWorth(all);
  if (leader === undefined) throw new RangeError("A bundle needs at least one notification");
  return rest.length === 0 ? leader : { ...leader, also: rest };
}

/** Open alerts before resolved ones, then the most severe, then the oldest. */
export function inOrderOfWorth(outgoing: readonly Outgoing[]): readonly Outgoing[] {
  return outgoing.toSorted(
    ({ candidate: { alert: a } }, { candidate: { alert: b } }) =>
      Number(a.resolvedAt !== null) - Number(b.resolvedAt !== null) ||
      compareSeverity(b.severity, a.severity) ||
      a.openedAt - b.openedAt,
  );
}
