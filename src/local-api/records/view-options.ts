import type { DataPolicyName } from "../policy/data-policy.ts";
import type { RecordVersion } from "./record-version.ts";

/** How a call wants its mentions shown. */
export interface ViewOptions {
  readonly version: RecordVersion;
  readonly policy: DataPolicyName;
  /** `full`: the field `fullText` is there and `snippet` is null. */
  readonly text: "snippet" | "full";
}

/** A mention as the store keeps it. */
export interface StoredRecord {
  readonly said: string;
  readonly silence: string;
  readonly mentionId: number;
  /** Null when there is none, or when the view does not need it. */
  readonly fullText: string | null;
}
