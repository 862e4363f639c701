import type { Instant } from "../../lib/instant.ts";
import { WEEKDAY_NAMES, WEEKDAYS } from "../../lib/local-time.ts";
import type { FieldOf } from "../records/mention-fields.ts";

/** One value of a dimension in a chart. */
export interface AxisKey {
  /** As the store gives it back for a mention. */
  readonly key: string;
  readonly id: string | number;
  readonly name: string;
}

/** Which keys a mention has on an axis, as a value. The store knows how to ask PostgreSQL for it. */
export type KeySource =
  /** The place of the bucket, from 0, that holds the mention's date; `starts` ascend. */
  | { readonly kind: "bucket"; readonly starts: readonly Instant[] }
  /** 0 to 23, or 1 (Monday) to 7, on the clocks of the zone. */
  | { readonly kind: "clock"; readonly part: "hourOfDay" | "dayOfWeek"; readonly zone: string }
  | { readonly kind: "query" }
  /** Ids of the groups that the mention's query is in. */
  | {
      readonly kind: "group";
      readonly members: readonly { readonly group: number; readonly query: number }[];
    }
  /** Ids of the saved date ranges that hold the mention's date. */
  | { readonly kind: "range"; readonly ranges: readonly { id: number; from: Instant; to: Instant }[] }
  | { readonly kind: "flag"; readonly field: FieldOf<"flag"> }
  | { readonly kind: "text"; readonly field: FieldOf<"text"> }
  | { readonly kind: "texts"; readonly field: FieldOf<"texts"> }
  | { readonly kind: "ids"; readonly field: FieldOf<"ids"> };

/** One axis of a chart, ready to be counted. */
export interface Axis {
  readonly keys: readonly AxisKey[];
  readonly source: KeySource;
}

export const FLAG_KEYS: readonly AxisKey[] = [
  { key: "true", id: "true", name: "true" },
  { key: "false", id: "false", name: "false" },
];

/** Hours of the day, and days of the week as ISO 8601 counts them. */
export const CLOCK_KEYS: Readonly<Record<"hourOfDay" | "dayOfWeek", readonly AxisKey[]>> = {
  hourOfDay: Array.from({ length: 24 }, (_, hour) => ({ key: String(hour), id: hour, name: String(hour) })),
  dayOfWeek: WEEKDAYS.map((day, index) => ({
    key: String(index + 1),
    id: index + 1,
    name: WEEKDAY_NAMES[day],
  })),
};

/** One of the keys that most mentions have. */
export interface TopKey {
  readonly key: string;
  /** What most mentions with the key call it; null where they do not say. */
  readonly name: string | null;
  /** Mentions that have it. */
  readonly volume: number;
}
