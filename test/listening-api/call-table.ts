import { CALLS } from "../../src/listening-api/openapi/calls.ts";

/** The table of `docs/listening-api.md`. */
export function callTable(): string {
  const lines = CALLS.map(({ methods, paths, specified, clients }) => {
    const calls = `${methods.join(", ")} ${paths.map((path) => `\`${path}\``).join(", ")}`;
    return `| ${calls} | ${specified} | ${clients} |`.replaceAll(/\| {2}(?=\|)/g, "| ");
  });
  const head = "| call | as specified | as the live service's clients use it |\n|---|---|---|";
  return `${head}\n${lines.join("\n")}\n`;
}
