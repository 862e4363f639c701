/** Without the full stops and blanks at its end. By hand: `/[.\s]+$/` takes the square of the length of a long run. */
export function trimFullStops(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
