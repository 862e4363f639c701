export type Line =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly tooLong: true };

/**
 * Lines of a stream of bytes, numbered from 1, in constant memory: a line beyond `maxBytes` is marked as such and its
 * bytes are not kept. Accepts LF and CRLF; the last line need not end.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let pending: Uint8Array[] = [];
  let size = 0;
  let line = 0;

  function finish(): Line {
    line++;
    const whole: Line = size > maxBytes ? { line, tooLong: true } : { line, text: textOf(pending) };
    pending = [];
    size = 0;
    return whole;
  }

  function keep(part: Uint8Array): void {
    size += part.byteLength;
    if (size <= maxBytes) pending.push(part);
    else pending = [];
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield finish();
    }
    keep(chunk.subarray(start));
  }
  if (size > 0) yield finish();
}

const LF = 0x0a;

/** Most lines lie within one chunk. */
function textOf(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8");
}
