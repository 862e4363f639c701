import type { SpikeSettings } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import { csvCells, likelyDelimiter } from "../../lib/read-csv.ts";
import { createSeriesPlot, type PlotLook, type SeriesPlot } from "./series-plot.ts";
import { createSeriesReader, type SeriesReader } from "./series-reader.ts";

/** Reads the file in pieces; returns alert lines as soon as their bucket is closed. */
interface CountsReader {
  read(piece: string): string;
  /** Drawings of the series that ended since the last call. */
  takeDrawings(): readonly Drawing[];
  end(): string;
}

interface Drawing {
  readonly series: string;
  readonly svg: string;
}

const HEADERS = ["timestamp,value", "series,timestamp,value", "series,timestamp,arrived,value"];
const EXPECTED = HEADERS.map((known) => `expected ${known}`);

/** Draws the series only if a `look` is given: drawing is slower than detecting. */
export function createCountsReader(settings: SpikeSettings, look?: PlotLook): CountsReader {
  let rest = "";
  let row = 0;
  let columns = 0;
  let delimiter = ",";
  let series: SeriesReader | undefined;
  let plot: SeriesPlot | undefined;
  let drawings: Drawing[] = [];
  let output = "";
  const ended = new Set<string>();

  const endSeries = (): string => {
    if (series === undefined) return "";
    const lines = series.end();
    ended.add(series.name);
    if (plot !== undefined) drawings.push({ series: series.name, svg: plot.draw() });
    return lines;
  };
  const readRow = (line: string): void => {
    row++;
    if (line === "" || line === "\r") return;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (columns === 0) {
      delimiter = likelyDelimiter(text);
      columns = readHeader(csvCells(text, delimiter));
      return;
    }
    const cells = csvCells(text, delimiter);
    if (cells.length !== columns)
      throw new UserError(`row ${row}: expected ${columns} columns: ${line.slice(0, 80)}`);
    const name = columns === 2 ? "" : (cells[0] ?? "");
    if (series === undefined || series.name !== name) {
      output += endSeries();
      // A series that restarts its baseline with every row would silently never alert.
      if (ended.has(name)) {
        throw new UserError(
          `row ${row}: series "${name.slice(0, 80)}" comes again: its rows have to be next to each other`,
        );
      }
      plot = look === undefined ? undefined : createSeriesPlot(name, settings, look);
      series = createSeriesReader(name, settings, plot?.see);
    }
    const timestamp = cells[columns === 2 ? 0 : 1] ?? "";
    const arrived = columns === 4 ? (cells[2] ?? "") : timestamp;
    const fault = series.read(timestamp, arrived, cells[columns - 1] ?? "");
    if (fault !== undefined) throw new UserError(`row ${row}: ${fault}`);
    output += series.takeLines();
  };

  return {
    read: (piece) => {
      output = "";
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) readRow(line);
      return output;
    },
    end: () => {
      output = "";
      readRow(rest);
      if (columns === 0) throw new UserError("nothing to read on standard input", EXPECTED);
      output += endSeries();
      return output;
    },
    takeDrawings: () => {
      const taken = drawings;
      drawings = [];
      return taken;
    },
  };
}

function readHeader(cells: readonly string[]): number {
  const header = cells.map((cell) => cell.trim()).join();
  if (!HEADERS.includes(header)) {
    throw new UserError(`row 1: unknown columns "${header.slice(0, 80)}"`, EXPECTED);
  }
  return cells.length;
}
