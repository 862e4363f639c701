/** ` — did you mean "volume"?`, to append to a message; empty if no known word is close. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : ` — did you mean "${word}"?`;
}
