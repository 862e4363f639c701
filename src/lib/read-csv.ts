/** One record of a CSV file, with the line on which it begins. */
export type CsvRecord =
  | { readonly line: number; readonly cells: readonly string[] }
  | { readonly line: number; readonly tooLong: true };

const DELIMITERS = [",", ";", "\t", "|"] as const;

/**
 * Records of a CSV file in constant memory: quoted cells may contain delimiters, line breaks and doubled quotes. The
 * delimiter is the most frequent one of the first line, unless given; a byte order mark and empty lines are skipped. A
 * record beyond `maxCharacters` is marked as such.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { maxCharacters, delimiter }: { readonly maxCharacters: number; readonly delimiter?: string },
): AsyncGenerator<CsvRecord> {
  const decoder = new TextDecoder("utf-8");
  let reader: CsvReader | undefined;
  let head = "";
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (reader === undefined) {
      head += text;
      if (!/[\r\n]/.test(head) && head.length < maxCharacters) continue;
      reader = createCsvReader(delimiter ?? likelyDelimiter(head), maxCharacters);
      text = head;
    }
    yield* reader.read(text);
  }
  const rest = decoder.decode();
  reader ??= createCsvReader(delimiter ?? likelyDelimiter(head), maxCharacters);
  yield* reader.read(head !== "" && !/[\r\n]/.test(head) && head.length < maxCharacters ? head + rest : rest);
  yield* reader.end();
}

/** The cells of a record that is one line. */
export function csvCells(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const reader = createCsvReader(delimiter, line.length);
  const [record] = [...reader.read(line), ...reader.end()];
  return record !== undefined && "cells" in record ? record.cells : [];
}

/** The usual delimiter that is most frequent in the first line of `text`. */
export function likelyDelimiter(text: string): string {
  const [first = ""] = text.split(/[\r\n]/, 1);
  const bare = first.replaceAll(/"[^"]*"/g, "");
  const counted = DELIMITERS.map((sign) => [sign, bare.split(sign).length] as const);
  return counted.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

interface CsvReader {
  read(text: string): CsvRecord[];
  end(): CsvRecord[];
}

function createCsvReader(delimiter: string, maxCharacters: number): CsvReader {
  let cells: string[] = [];
  let cell = "";
  let size = 0;
  let line = 1;
  let startLine = 1;
  let state: "start" | "plain" | "quoted" | "quote" = "start";
  let wasReturn = false;
  let records: CsvRecord[] = [];

  function endCell(): void {
    cells.push(cell);
    cell = "";
    state = "start";
  }

  function endRecord(): void {
    endCell();
    if (size > maxCharacters) records.push({ line: startLine, tooLong: true });
    else if (cells.length > 1 || cells[0] !== "") records.push({ line: startLine, cells });
    cells = [];
    size = 0;
  }

  function newLine(): void {
    line++;
    startLine = line;
  }

  function keep(sign: string): void {
    size++;
    if (size <= maxCharacters) cell += sign;
    else {
      cell = "";
      cells = [];
    }
  }

  function take(sign: string): void {
    if (state === "quoted") {
      if (sign === '"') state = "quote";
      else {
        if (sign === "\n") line++;
        keep(sign);
      }
    } else if (state === "quote" && sign === '"') {
      state = "quoted";
      keep(sign);
    } else if (sign === delimiter) endCell();
    else if (sign === "\n" && wasReturn) return;
    else if (sign === "\n" || sign === "\r") {
      endRecord();
      newLine();
    } else if (state === "start" && sign === '"') state = "quoted";
    else {
      state = "plain";
      keep(sign);
    }
  }

  return {
    read(text) {
      for (let at = 0; at < text.length; at++) {
        const sign = text.charAt(at);
        take(sign);
        wasReturn = sign === "\r" && state !== "quoted";
      }
      const ready = records;
      records = [];
      return ready;
    },
    end() {
      if (cell !== "" || cells.length > 0 || size > 0) endRecord();
      const ready = records;
      records = [];
      return ready;
    },
  };
}
