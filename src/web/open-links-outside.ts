/** Mail programs open links in a browser; a frame would open them in itself, which its policy forbids. */
export function openLinksOutside(html: string): string {
  return html.replace(/<head(\s[^>]*)?>/i, (head) => `${head}<base target="_blank">`);
}
