/** Where an author lives, with the words and codes that a mention shows. */
export interface Place {
  readonly city: string;
  readonly country: string;
  readonly countryCode: string;
  readonly continent: string;
  readonly continentCode: string;
  readonly currency: string;
  /** Spoken besides English. */
  readonly language: "en" | "de" | "fr" | "es";
}

export const PLACES: readonly (readonly [Place, number])[] = [
  ...places("United Kingdom", "GBR", "£", "en", 5, [
    "London",
    "Leeds",
    "Manchester",
    "Bristol",
    "Glasgow",
    "Cardiff",
  ]),
  ...places("Ireland", "IRL", "€", "en", 4, ["Dublin", "Cork"]),
  ...places("United States", "USA", "$", "en", 4, ["Austin", "Chicago", "Portland", "Boston", "Denver"]),
  ...places("Canada", "CAN", "$", "en", 3, ["Toronto", "Halifax"]),
  ...places("Germany", "DEU", "€", "de", 4, ["Berlin", "Hamburg", "Köln", "Leipzig"]),
  ...places("France", "FRA", "€", "fr", 4, ["Lyon", "Paris", "Nantes"]),
  ...places("Spain", "ESP", "€", "es", 4, ["Madrid", "Valencia", "Bilbao"]),
  ...places("Netherlands", "NLD", "€", "en", 3, ["Utrecht", "Rotterdam"]),
];

function places(
  country: string,
  countryCode: string,
  currency: string,
  language: Place["language"],
  weight: number,
  cities: readonly string[],
): (readonly [Place, number])[] {
  const isAmerica = countryCode === "USA" || countryCode === "CAN";
  const [continent, continentCode] = isAmerica ? ["North America", "NORTH AMERICA"] : ["Europe", "EUROPE"];
  return cities.map((city) => [
    { city, country, countryCode, continent, continentCode, currency, language },
    weight,
  ]);
}
