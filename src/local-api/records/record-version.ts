import type { ParameterReader } from "../parameters/parameter-reader.ts";

/** The two shapes of a mention that the API has had. */
export const RECORD_VERSIONS = ["current", "earlier"] as const;
export type RecordVersion = (typeof RECORD_VERSIONS)[number];

/** The client tag that names the version for all calls of a client. */
const RECORD_VERSION_TAG = "mentions.version";
/** The parameter that names it for one call. */
const RECORD_VERSION_PARAMETER = "mentionVersion";

/**
 * The version in which a call wants its mentions: the parameter `mentionVersion`, else the client's tag
 * `mentions.version`, else the current one. The spec leaves open how a version is chosen.
 */
export function readRecordVersion(
  parameters: ParameterReader,
  client: { readonly tags: Readonly<Record<string, string>> },
): RecordVersion {
  const asked = parameters.oneOf(RECORD_VERSION_PARAMETER, RECORD_VERSIONS);
  return asked ?? (client.tags[RECORD_VERSION_TAG] === "earlier" ? "earlier" : "current");
}
