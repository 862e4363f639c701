import type { DigestConfig } from "./digest-config.ts";

/** A digest of one time zone: everybody who reads it reads the same edition. */
export interface PlannedDigest extends Omit<DigestConfig, "receivers"> {
  /** What its readers call it. */
  readonly title: string;
  /** Names of receivers. */
  readonly receivers: readonly string[];
  /** The language of dates of each receiver whose own is another than the digest's. */
  readonly languages: ReadonlyMap<string, string>;
}

/**
 * A digest whose readers live in several zones is a digest of each: their days begin at other moments. Its `name`, by
 * which editions are known, then holds the zone, but for that of the digest itself.
 */
export function planDigests(digests: readonly DigestConfig[]): readonly PlannedDigest[] {
  return digests.flatMap((digest) => {
    const zones = [...new Set(digest.receivers.map((reader) => zoneOf(reader, digest)))];
    return zones.map((timezone) => {
      const readers = digest.receivers.filter((reader) => zoneOf(reader, digest) === timezone);
      return {
        ...digest,
        timezone,
        title: digest.name,
        name: timezone === digest.timezone ? digest.name : `${digest.name} (${timezone})`,
        receivers: readers.map(({ name }) => name),
        languages: new Map(
          readers.flatMap((reader): [string, string][] =>
            "language" in reader && reader.language !== undefined ? [[reader.name, reader.language]] : [],
          ),
        ),
      };
    });
  });
}

function zoneOf(reader: DigestConfig["receivers"][number], digest: DigestConfig): string {
  return "timezone" in reader && reader.timezone !== undefined ? reader.timezone : digest.timezone;
}
