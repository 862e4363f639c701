/** What one change in one place does to a text, as `diff -U0` shows it. Empty if nothing differs. */
export function unifiedDiff(file: string, before: string, after: string): string {
  if (before === after) return "";
  const [old, next] = [linesOf(before), linesOf(after)];
  const shortest = Math.min(old.length, next.length);
  let head = 0;
  while (head < shortest && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const removed = old.slice(head, old.length - tail);
  const added = next.slice(head, next.length - tail);
  // Where no line is left, the line before is named.
  const range = ({ length }: readonly string[]) => `${length === 0 ? head : head + 1},${length}`;
  return [
    `--- ${file}`,
    `+++ ${file}`,
    `@@ -${range(removed)} +${range(added)} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
