/** `1698` → `1,698`, `84.7` → `85`, `2.94` → `2.9`: as many digits as a reader can use. */
export function spellNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size < 9.95 && !Number.isInteger(value)) return trimZero(value.toFixed(1));
  const digits = String(Math.round(value));
  return size < 999.5 ? digits : digits.replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** `0.5714` → `57 %`. */
export function spellShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function trimZero(text: string): string {
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}
