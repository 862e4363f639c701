/** The first three of a list of names, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 60 ? `${name.slice(0, 59)}…` : name));
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
