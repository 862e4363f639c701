import type { MentionRecord } from "../../records/mention-record.ts";

/** The known fields of a mention. A field that is missing or null matches no test; its negation does. */
export type KnownFields = Readonly<Partial<MentionRecord>>;

/** A `name:` of the query language. */
export interface Field {
  readonly name: string;
  /** `title`: the value is searched in the title like any term. */
  readonly kind: "title" | "value" | "range" | "value-or-range";
  /** The problem of a single value, with its severity; undefined if there is none. */
  readonly check?: (value: string) => FieldFault | undefined;
  readonly limits?: RangeLimits;
  /** Whether a mention meets the test. */
  readonly meets: (test: FieldTest, known: KnownFields) => boolean;
  /** No mention carries it here. */
  readonly isUnknown?: true;
}

export interface FieldFault {
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface RangeLimits {
  readonly min: number;
  readonly max: number;
  readonly wholeNumbers: boolean;
  readonly example: string;
}

export type FieldTest =
  | { readonly kind: "value"; readonly field: Field; readonly value: string }
  | { readonly kind: "range"; readonly field: Field; readonly from: number; readonly to: number };

export function defineField(field: Field): Field {
  return field;
}
