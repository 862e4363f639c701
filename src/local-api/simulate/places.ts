import { z } from "zod";
import { readData } from "./read-data.ts";

const Country = z.strictObject({
  country: z.string(),
  countryCode: z.string(),
  continent: z.string(),
  continentCode: z.string(),
  currency: z.string(),
  /** Spoken besides English. */
  language: z.enum(["en", "de", "fr", "es"]),
});
const Cities = Country.extend({ weight: z.number(), cities: z.array(z.string()) });

/** Where an author lives, with the words and codes that a mention shows. */
export interface Place extends z.output<typeof Country> {
  readonly city: string;
}

/** By weight. */
export const PLACES: readonly (readonly [Place, number])[] = readData("places.yaml", z.array(Cities)).flatMap(
  ({ cities, weight, ...country }) =>
    cities.map((city): readonly [Place, number] => [{ city, ...country }, weight]),
);
