/** The fields that only the earlier version has, as they are when they have nothing to say. */
export const SILENT_ADDITIONS = {
  id: null,
  noteIds: [],
  trackedLinks: null,
  authorCity: null,
  authorCityCode: null,
  authorContinent: null,
  authorContinentCode: null,
  authorCountry: null,
  authorCountryCode: null,
  authorCounty: null,
  authorCountyCode: null,
  authorLocation: null,
  authorState: null,
  authorStateCode: null,
  county: null,
  countyCode: null,
  state: null,
  stateCode: null,
  averageDurationOfVisit: null,
  averageVisits: null,
  backlinks: null,
  blogComments: null,
  engagement: null,
  forumPosts: null,
  forumViews: null,
  importanceAmplification: null,
  importanceReach: null,
  influence: null,
  mozRank: null,
  outreach: null,
  pagesPerVisit: null,
  percentFemaleVisitors: null,
  percentMaleVisitors: null,
  reach: null,
  trackedLinkClicks: null,
  wordCount: null,
};

/**
 * Additions that repeat a field of the current version, with that field: a place is that of the author. The other
 * metrics are not measured here and stay empty.
 */
export const NAMED_OTHERWISE = [
  ["authorCity", "city"],
  ["authorCityCode", "cityCode"],
  ["authorContinent", "continent"],
  ["authorContinentCode", "continentCode"],
  ["authorCountry", "country"],
  ["authorCountryCode", "countryCode"],
  ["authorLocation", "locationName"],
  ["authorState", "region"],
  ["authorStateCode", "regionCode"],
  ["state", "region"],
  ["stateCode", "regionCode"],
] as const;

/** Runs of letters and digits, in any script; null where no text is known. */
export function wordCount(text: string | null): number | null {
  if (text === null) return null;
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}
