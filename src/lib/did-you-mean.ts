/** ` — did you mean "volume"?`, to stand behind what is wrong; nothing where no known word is close. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : ` — did you mean "${word}"?`;
}
