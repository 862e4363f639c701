import { defineField, type Field, type FieldFault, type KnownFields, numberField } from "./define-field.ts";

type Names = readonly (string | null | undefined)[];

/** Where it was written, and when in the day. Codes are compared in any case: `usa.fl` is country and region. */
export const placeFields: readonly Field[] = [
  placeField("continent", (known) => [continent(known)]),
  { ...placeField("country", (known) => [country(known)]), check: threeLetters },
  placeField("region", (known) => [country(known), [known.regionCode, known.region]]),
  placeField("city", (known) => [
    country(known),
    [known.regionCode, known.region],
    [known.cityCode, known.city],
  ]),
  numberField(
    "latitude",
    { min: -90, max: 90, wholeNumbers: false, single: true, example: "[41 TO 44]" },
    (known) => known.latitude,
  ),
  numberField(
    "longitude",
    { min: -180, max: 180, wholeNumbers: false, single: true, example: "[-73 TO -69]" },
    (known) => known.longitude,
  ),
  numberField(
    "minuteOfDay",
    { min: 0, max: 1439, wholeNumbers: true, single: false, example: "[1110 TO 1140]" },
    minuteOfDay,
  ),
  defineField({
    name: "language",
    kind: "value",
    check: (value) =>
      /^[a-z]{2}$/.test(value)
        ? undefined
        : {
            severity: "warning",
            message: "language: takes a two-letter code of ISO 639-1 in lower case; write language:en.",
          },
    meets: (test, known) =>
      test.kind === "value" && known.language?.toLowerCase() === test.value.toLowerCase(),
  }),
];

/** `path` names the places from the largest to the one that is meant, each by code and by name. */
function placeField(name: string, path: (known: KnownFields) => readonly Names[]): Field {
  return defineField({
    name,
    kind: "value",
    meets: (test, known) => {
      if (test.kind !== "value") return false;
      const place = test.value.toLowerCase();
      const places = path(known).map((names) => names.filter((given) => given != null).map(lower));
      const own = places.at(-1) ?? [];
      if (own.includes(place)) return true;
      const steps = place.split(".");
      return (
        steps.length === places.length && steps.every((step, i) => places[i]?.some((p) => endsIn(p, step)))
      );
    },
  });
}

/** A code may carry the larger places in front of it: `usa.fl`. */
function endsIn(place: string, step: string): boolean {
  return place === step || place.endsWith(`.${step}`);
}

/** Two letters are the code of ISO 3166 that everybody knows, and never the one of this language. */
function threeLetters(value: string): FieldFault | undefined {
  if (!/^[a-z]{2}$/i.test(value)) return undefined;
  return {
    severity: "warning",
    message: "country: takes a code of three letters, so this finds nothing; write country:gbr.",
  };
}

function continent(known: KnownFields): Names {
  return [known.continentCode, known.continent, known.continent?.replaceAll(" ", "_")];
}

function country(known: KnownFields): Names {
  return [known.countryCode, known.country];
}

function lower(text: string): string {
  return text.toLowerCase();
}

/** In UTC, from `YYYY-MM-DDThh:mm:ss.SSS+0000`. */
function minuteOfDay({ date }: KnownFields): number | undefined {
  const [, hours, minutes] = /T(\d\d):(\d\d):.*(?:[+-]00:?00|Z)$/.exec(date ?? "") ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
