import { DATA_POLICIES, type DataPolicy, OPEN_SOURCE } from "../policy/data-policy.ts";
import { unpackRecord } from "./packed-record.ts";
import { guidOf, type SaidFields, shownFields } from "./shown-fields.ts";
import { createSilenceOf } from "./silence-of.ts";
import type { StoredRecord, ViewOptions } from "./view-options.ts";

export interface RecordView {
  /** The store has to give the full text along. */
  readonly needsFullText: boolean;
  /** The wire record as JSON text. */
  render(record: StoredRecord): string;
}

/** Without taking the record apart: `guid` is the only field that a view adds to what is stored. */
function withGuid(said: string): string {
  if (!said.includes(',"pageType":"twitter"')) return said;
  const url = /"url":("(?:[^"\\]|\\.)*")/.exec(said)?.[1];
  return `${said},"guid":${JSON.stringify(url === undefined ? null : guidOf(JSON.parse(url)))}`;
}

/**
 * Makes wire records of stored ones. What is stored is the current version with everything it says, so that this,
 * the usual view, costs a concatenation; the others take the said fields apart and put them together again, and
 * remember what the silent ones look like for each kind of mention.
 */
export function createRecordView(options: ViewOptions): RecordView {
  const { version, text } = options;
  const policy: DataPolicy = DATA_POLICIES[options.policy];
  const isAsStored = version === "current" && text === "snippet" && Object.keys(policy).length === 0;
  const silenceOf = createSilenceOf(options);
  if (isAsStored) {
    return {
      needsFullText: false,
      render: ({ said, silence }) => unpackRecord(withGuid(said), silence),
    };
  }
  return {
    // The earlier version counts the words of the text.
    needsFullText: text === "full" || version === "earlier",
    render(record) {
      const said = JSON.parse(`${record.said}}`) as SaidFields;
      const name = typeof said["pageType"] === "string" ? said["pageType"] : "";
      const source = Object.hasOwn(policy, name) ? (policy[name] ?? OPEN_SOURCE) : OPEN_SOURCE;
      const fields = shownFields(said, record, { version, text, source });
      const silence = silenceOf({ silence: record.silence, source, fields });
      return unpackRecord(JSON.stringify(fields).slice(0, -1), silence);
    },
  };
}
