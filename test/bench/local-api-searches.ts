/** What `local-api-search.ts` searches for, without `--search`. */
export const SEARCHES = [
  "(alpha OR beta OR gamma OR delta) NOT tea",
  "battery",
  '"hot water" OR "cold water"',
  "{Alpha} OR (water NEAR/3 hot)",
];
