/** Makes links open in a new window, as mail programs do; the frame's policy forbids opening them inside. */
export function openLinksOutside(html: string): string {
  return html.replace(/<head(\s[^>]*)?>/i, (head) => `${head}<base target="_blank">`);
}
