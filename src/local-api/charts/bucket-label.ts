import { type Instant, toIso } from "../../lib/instant.ts";
import { offsetIn } from "./offset-segments.ts";

/**
 * Id and name of a time bucket, from its start: `2026-03-29T00:00:00.000+0100` and `2026-03-29 00:00:00.0`. Both show
 * the clocks of the zone, so that the first ten characters are the local day, which is what clients read off them.
 */
export function bucketLabel(start: Instant, zone: string): { readonly id: string; readonly name: string } {
  const offsetMs = offsetIn(zone)(start);
  const local = toIso(start + offsetMs).slice(0, -1);
  return {
    id: `${local}${formatOffset(offsetMs)}`,
    name: `${local.slice(0, 10)} ${local.slice(11, 19)}.0`,
  };
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}
