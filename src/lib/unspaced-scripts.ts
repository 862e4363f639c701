/** Scripts that are written without blanks between words, for the brackets of a pattern with the flag `u` or `v`. */
export const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
