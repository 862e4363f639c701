import type { Issue } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import type { DigestConfig } from "./digest-config.ts";

/** A digest of one time zone: all its readers get the same edition. */
export interface PlannedDigest extends Omit<DigestConfig, "receivers"> {
  /** Its name for readers. */
  readonly title: string;
  /** Names of receivers. */
  readonly receivers: readonly string[];
  /** The date language of each receiver whose language differs from the digest's. */
  readonly languages: ReadonlyMap<string, string>;
  /** The saved view that it shows, and the user who gets it; absent: it is a digest of the configuration. */
  readonly view?: { readonly address: string; readonly reader: string };
  /** Since when it is wanted, and its newest edition. Absent: the tables have to be asked. */
  readonly known?: {
    readonly since: Instant;
    readonly last: { readonly key: string; readonly periodTo: Instant } | null;
  };
}

/**
 * A digest with readers in several zones becomes one digest per zone, because their days begin at different times. Its
 * `name`, the key of its editions, then has the zone, except in the digest's own zone.
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

/** Editions are keyed by their digest's name and sent once per reader. Finds digests and readers that would collide. */
export function digestClashes(digests: readonly DigestConfig[]): Issue[] {
  const known = new Set<string>();
  return digests.flatMap((digest, index) => {
    const editions = planDigests([digest]).map(({ name }) => name);
    const taken = editions.find((name) => known.has(name));
    for (const name of editions) known.add(name);
    const readers = digest.receivers.map(({ name }) => name);
    return [
      ...(taken === undefined
        ? []
        : [{ path: ["digests", index, "name"], message: `there are two digests "${taken}"` }]),
      ...readers.flatMap((name, at): Issue[] =>
        readers.indexOf(name) === at
          ? []
          : [{ path: ["digests", index, "receivers", at], message: `"${name}" reads it already` }],
      ),
    ];
  });
}
