import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { defineDetectCommand, detect } from "../../src/cli/detect.ts";
import { toIso } from "../../src/lib/instant.ts";
import { ordinaryDays } from "../monitor/rules/spike/feed.ts";

const OPTIONS: Parameters<typeof detect>[0] = {
  bucket: "5m",
  cooldown: "3h",
  sensitivity: "remarkable",
  atLeast: "0",
};
/** Buckets need not start at round minutes. */
const START = Date.UTC(2015, 1, 26, 21, 42, 53);
const COUNTS = [...ordinaryDays(10, 3), 20, 40, 40, 30, 20, 5, 3, 2, 1];

const stamp = (bucket: number): string => toIso(START + bucket * 300_000).replace(".000", "");
const rows = (name: string): string => COUNTS.map((count, t) => `${name}${stamp(t)},${count}\n`).join("");

async function run(
  csv: string | Readable,
  options: Partial<typeof OPTIONS> = {},
  pieces = 1_000,
): Promise<string> {
  let text = "";
  const output = new Writable({
    write: (chunk, _, done) => {
      text += chunk;
      done();
    },
  });
  await detect({ ...OPTIONS, ...options }, typeof csv === "string" ? cut(csv, pieces) : csv, output, output);
  return text;
}

function cut(csv: string, pieces: number): Readable {
  return Readable.from(
    Array.from({ length: Math.ceil(csv.length / pieces) }, (_, i) => csv.slice(i * pieces, (i + 1) * pieces)),
  );
}

describe("earshot detect", () => {
  it("prints one line for the burst of each series", async () => {
    const text = await run(`series,timestamp,value\n${rows("A,")}${rows("B,")}`);
    const alerts = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(alerts.map(({ series }) => series)).toEqual(["A", "B"]);
    expect(Object.keys(alerts[0])).toEqual([
      "series",
      "timestamp",
      "event",
      "observed",
      "expected",
      "p",
      "window",
      "score",
    ]);
    expect(alerts[0]).toMatchObject({
      timestamp: stamp(2880),
      event: stamp(2880),
      observed: 20,
      window: "5m",
    });
    expect(alerts[1]).toEqual({ ...alerts[0], series: "B" });
  });

  it("prints the same however the file is cut, ended, or named", async () => {
    const csv = `timestamp,value\n${rows("")}`;
    const text = await run(csv);
    expect(text).not.toContain("series");
    expect(await run(csv, {}, 7)).toBe(text);
    expect(await run(csv.trimEnd())).toBe(text);
    expect(await run(csv.replaceAll("\n", "\r\n"))).toBe(text);
    expect(await run(csv.replaceAll(/^.*,0\n/gm, (row) => (row.startsWith(stamp(0)) ? row : "")))).toBe(text);
  });

  it("reads names of any letters, however the bytes are cut, and times without a zone as UTC", async () => {
    const csv = `series,timestamp,value\n${rows("Müller 🙂,")}`;
    const text = await run(csv);
    expect(text).toContain("Müller 🙂");
    const bytes = Buffer.from(csv);
    const input = Readable.from(Array.from({ length: bytes.length }, (_, i) => bytes.subarray(i, i + 1)));
    expect(await run(input)).toBe(text);
    expect(await run(csv.replaceAll("T", " ").replaceAll("Z", ""))).toBe(text);
    expect(await run(csv.replaceAll("Z", "+00:00"))).toBe(text);
  });

  it("reads what spreadsheets write: quoted names, semicolons or tabs, a byte order mark", async () => {
    const text = await run(`series,timestamp,value\n${rows("Acme. Inc,")}`);
    for (const delimiter of [";", "\t"]) {
      const csv = `series,timestamp,value\n${rows("Acme. Inc,")}`.replaceAll(",", delimiter);
      expect(await run(csv)).toBe(text);
    }
    const marked = Buffer.from(`\ufeffseries,timestamp,value\n${rows('"Acme. Inc",')}`);
    expect(await run(Readable.from([marked]))).toBe(text);
    const named = await run(`"series","timestamp","value"\n${rows('"Acme, ""the"" Inc",')}`);
    expect(named).toBe(text.replaceAll('"Acme. Inc"', '"Acme, \\"the\\" Inc"'));
  });

  it("reports when a late burst was observed and when it happened", async () => {
    const late = COUNTS.map((count, t) => {
      const isBurst = t >= 2880;
      const rest = isBurst
        ? `A,${stamp(t - 3)},${stamp(t)},${(COUNTS[t - 3] ?? 0) * (t - 3 >= 2880 ? 1 : 0)}\n`
        : "";
      return `${rest}A,${stamp(t)},${stamp(t)},${isBurst ? 0 : count}\n`;
    });
    const text = await run(`series,timestamp,arrived,value\n${late.join("")}`);
    expect(JSON.parse(text)).toMatchObject({ timestamp: stamp(2884), event: stamp(2881) });
  });

  it.each([
    ["a,b\n", {}, 'row 1: unknown columns "a,b"'],
    [`timestamp,value\n${stamp(0)},x\n`, {}, 'row 2: expected a whole number, got "x"'],
    [`timestamp,value\n${stamp(0)},-1\n`, {}, 'row 2: expected a whole number, got "-1"'],
    [`timestamp,value\n${stamp(0)}\n`, {}, "row 2: expected 2 columns"],
    [
      `series,timestamp,value\nA,${stamp(0)},1\nB,${stamp(0)},1\nA,${stamp(1)},1\n`,
      {},
      'row 4: series "A" comes again: its rows have to be next to each other',
    ],
    ["timestamp,value\nyesterday,1\n", {}, "row 2: expected times such as"],
    ["timestamp,value\n1425416573,1\n", {}, "row 2: expected times such as"],
    [
      `timestamp,value\n${stamp(1)},1\n${stamp(0)},1\n`,
      {},
      "row 3: rows of one series have to be in order of time",
    ],
    [
      `series,timestamp,arrived,value\nA,${stamp(1)},${stamp(0)},1\n`,
      {},
      "row 2: a mention cannot arrive before",
    ],
    [
      `timestamp,value\n${stamp(0)},1\n9015-03-03T21:02:53Z,1\n`,
      {},
      "row 3: 9015-03-03T21:02:53.000Z is more than two years after",
    ],
    ["", {}, "nothing to read on standard input"],
    ["", { bucket: "1m" }, "--bucket 1m"],
    ["", { cooldown: "soon" }, "--cooldown soon"],
    ["", { sensitivity: "some" }, "--sensitivity some"],
    ["", { plot: "out.gif" }, "--plot out.gif"],
    ["", { plot: "out.svg", theme: "pink" }, "--theme pink"],
    ["", { plot: "out.svg", timeZone: "Mars" }, "--time-zone Mars"],
  ])("refuses %j %j", async (csv, options, message) => {
    await expect(run(csv, options)).rejects.toThrow(message);
  });

  it("draws a picture for each series, and names the files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-plot-"));
    try {
      const csv = `series,timestamp,value\n${rows("A/../b,")}${rows("B,")}`;
      const text = await run(csv, { plot: join(folder, "out.svg"), timeZone: "Asia/Tokyo" });
      expect(text.split("\n").slice(-3)).toEqual([
        join(folder, "out-A-b.svg"),
        join(folder, "out-B.svg"),
        "",
      ]);
      const svg = await readFile(join(folder, "out-A-b.svg"), "utf8");
      expect(svg).toContain("<title>A/../b: 1 alert in 10 days: 20 in 5 min, 3.3 expected</title>");
      expect(svg).toContain("times in Asia/Tokyo, highest of each 40 min");
      await run(`timestamp,value\n${rows("").split("\n").slice(-40).join("\n")}`, {
        plot: join(folder, "one.png"),
        theme: "dark",
      });
      expect((await readFile(join(folder, "one.png"))).subarray(1, 4).toString()).toBe("PNG");
      expect((await readdir(folder)).sort()).toEqual(["one.png", "out-A-b.svg", "out-B.svg"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("gives every series its own file, with any names", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-plot-"));
    try {
      const names = [
        "a-b",
        "a-b-2",
        "a b",
        "A/B",
        "../../x",
        "<script>",
        "y".repeat(300),
        "日本",
        "🙂",
        "",
        "..",
      ];
      const csv = names.map((name) => `${name},${stamp(0)},1\n`).join("");
      await run(`series,timestamp,value\n${csv}`, { plot: join(folder, "p.svg") });
      const files = await readdir(folder);
      expect(files.sort()).toEqual(
        ["a-b", "a-b-2", "a-b-3", "A-B-4", "-x", "-script-", "y".repeat(50), "日本", "-", "10", "--2"]
          .map((name) => `p-${name}.svg`)
          .sort(),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("takes the flags of each of its examples", async () => {
    let help = "";
    const command = new Command("detect").configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    defineDetectCommand(command);
    command.outputHelp();
    const examples = [...help.matchAll(/^ {2}earshot detect (.+) < counts\.csv$/gm)];
    expect(examples).toHaveLength(2);
    for (const [, flags = ""] of examples) {
      const typed = new Command("detect");
      defineDetectCommand(typed);
      typed.action(() => {}).parse(flags.replace(/ --plot \S+/, "").split(" "), { from: "user" });
      expect(await run(`timestamp,value\n${rows("")}`, typed.opts())).toContain('"observed"');
    }
  });

  it("has a flag for each of its options", () => {
    const command = new Command("detect");
    defineDetectCommand(command);
    expect(Object.keys(command.opts())).toEqual(expect.arrayContaining(Object.keys(OPTIONS)));
  });
});
