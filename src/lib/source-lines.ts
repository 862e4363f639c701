import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * From now on stack traces name lines of the sources where the code is a bundle. Node can do that by itself
 * (`--enable-source-maps`), but then it reads every map when its module is loaded: a tenth of the start of a worker.
 * Here a map is read with the first stack trace that needs it.
 */
export function nameSourceLines(): void {
  Error.prepareStackTrace = (error, frames) =>
    [describe(error), ...frames.map((frame) => `    at ${withSourceLine(frame)}`)].join("\n");
}

/** As Node does it: an error may be a proxy, or have a `toString` that throws. */
function describe(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}

function withSourceLine(frame: NodeJS.CallSite): string {
  const text = frame.toString();
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (file === null || file === undefined || line === null || column === null) return text;
  const path = file.startsWith("file://") ? fileURLToPath(file) : file;
  const origin = mapOf(path)?.findOrigin(line, column);
  if (origin === undefined || !("fileName" in origin) || origin.fileName === "") return text;
  const source = join(dirname(path), origin.fileName);
  return text.replace(`${file}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`);
}

const maps = new Map<string, SourceMap | null>();

function mapOf(path: string): SourceMap | null {
  const known = maps.get(path);
  if (known !== undefined) return known;
  const map = readMap(path);
  maps.set(path, map);
  return map;
}

/** Null for a file that is no bundle. A stack trace without source lines is better than none. */
function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  } catch {
    return null;
  }
}
