/**
 * Whether the whole of `text` matches `pattern`, where `*` stands for any characters and `?` for one. Ignores case. At
 * most pattern × text steps, because the text may be hostile.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  const wanted = [...pattern.toLowerCase()];
  const given = [...text.toLowerCase()];
  let p = 0;
  let t = 0;
  let star = -1;
  let starAt = 0;
  while (t < given.length) {
    if (wanted[p] === "*") {
      star = p++;
      starAt = t;
    } else if (p < wanted.length && (wanted[p] === "?" || wanted[p] === given[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++starAt;
    } else {
      return false;
    }
  }
  while (wanted[p] === "*") p++;
  return p === wanted.length;
}
