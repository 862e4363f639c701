import type { JsonValue } from "../../lib/json.ts";

export interface StoredTag {
  readonly id: number;
  readonly name: string;
  readonly rules: readonly LabelRule[];
}

/** A search or filters, by the names of the mention filters; mentions that meet them all get the label. */
export type LabelRule = { readonly filter: Readonly<Record<string, JsonValue>> };

export interface StoredCategory {
  readonly id: number;
  readonly name: string;
  readonly multiple: boolean;
  readonly children: readonly {
    readonly id: number;
    readonly name: string;
    readonly ordering: number;
    readonly rules: readonly LabelRule[];
  }[];
}
