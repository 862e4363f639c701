import { readErrorBody } from "./error-body.ts";

/** Describes an answer that is not the requested JSON. */
export function describeBody(body: Buffer, secrets: readonly string[]): string {
  if (body.length === 0) return "with an empty body";
  const start = body.subarray(0, 256).toString("latin1").trimStart().toLowerCase();
  if (start.startsWith("<")) return "with a page of HTML instead of JSON";
  if (!/^(?:\u00ef\u00bb\u00bf)?[{[]/.test(start)) return "with something else than JSON";
  const said = readErrorBody(body, secrets).message;
  if (said !== null) return `with an error inside: ${said}`;
  return `with JSON that is cut off or has another shape (${body.length} bytes)`;
}
