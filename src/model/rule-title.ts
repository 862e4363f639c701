/** What people read where a rule has no title of its own: `crisis-spike` → `Crisis spike`. */
export function titleOf(ruleName: string): string {
  const words = ruleName.replaceAll(/[-_]+/g, " ").trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
