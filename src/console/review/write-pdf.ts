import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import PdfDocument from "pdfkit";
import { counted, formatNumber } from "../../lib/numbers.ts";
import type { QueryVolume } from "../parts/build-volume.ts";
import { fontRuns, readFontFile } from "./cjk-fonts.ts";
import type { Review } from "./review.ts";

const MARGIN = 56;
const FONTS = join(dirname(createRequire(import.meta.url).resolve("dejavu-fonts-ttf/package.json")), "ttf");
const INK = "#14181f";
const SOFT = "#59616e";
/** Of DejaVu Sans, as a share of the size of a text: where its line stands, below the top. */
const ASCENT = 0.928;
/** As on the pages. */
const FILLS = { negative: "#b8420a", other: "#8b93a1" };
const CHART = { height: 70, width: 595.28 - 2 * MARGIN };

/** The document of a review: A4, text that can be searched, with its own fonts. `now` is the moment on its first page. */
export async function writePdf({
  review,
  made,
}: {
  readonly review: Review;
  readonly made: string;
}): Promise<Uint8Array> {
  const pdf = new PdfDocument({
    size: "A4",
    margin: MARGIN,
    lang: "en",
    displayTitle: true,
    info: { Title: review.title, Creator: "Earshot" },
  });
  const chunks: Buffer[] = [];
  pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<void>((resolve, reject) => pdf.once("end", resolve).once("error", reject));
  await registerFonts(pdf, JSON.stringify([review, made]));
  writeReview(pdf, review, made);
  pdf.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}

/** Ours, and those for the letters of `text` that ours do not have. */
async function registerFonts(pdf: PDFKit.PDFDocument, text: string): Promise<void> {
  for (const file of new Set(fontRuns(text).map((run) => run.file)))
    if (file !== null) pdf.registerFont(file, await readFontFile(file));
  pdf
    .registerFont("text", join(FONTS, "DejaVuSans.ttf"))
    .registerFont("bold", join(FONTS, "DejaVuSans-Bold.ttf"));
}

interface TextStyle {
  readonly bold?: boolean;
  readonly soft?: boolean;
  readonly size?: number;
  readonly indent?: number;
}

/** Writes lines and headings below each other. */
function createWriter(pdf: PDFKit.PDFDocument) {
  const line = (text: string, look: TextStyle = {}) => {
    const { bold = false, soft = false, size = 10, indent = 0 } = look;
    const [ink, place] = [soft ? SOFT : INK, MARGIN + indent];
    const runs = fontRuns(printable(text));
    pdf.fontSize(size).fillColor(ink).strokeColor(ink);
    if (runs.length === 0) pdf.moveDown();
    for (const [n, run] of runs.entries()) {
      const { file } = run;
      pdf.font(file ?? (bold ? "bold" : "text")).lineWidth(size * (bold ? 0.07 : 0.032));
      const options = {
        ...{ width: CHART.width - indent, continued: n < runs.length - 1 },
        // The first weight of these fonts is that of a hair; a stroke gives it the weight of the text around it.
        ...{ fill: true, stroke: file !== null },
        // They are taller, and stand on the same line.
        ...(file !== null && { baseline: -size * ASCENT }),
      };
      if (n === 0) pdf.text(run.text, place, undefined, options);
      else pdf.text(run.text, options);
    }
  };
  /** `needs`: the height of what has to stand on the same page, in points. */
  const heading = (text: string, needs = 40) => {
    if (pdf.y > pdf.page.height - MARGIN - needs - 30) pdf.addPage();
    pdf.moveDown(1);
    line(text, { bold: true, size: 13 });
    pdf.moveDown(0.4);
  };
  return { line, heading };
}

function writeReview(pdf: PDFKit.PDFDocument, review: Review, made: string): void {
  const { line, heading } = createWriter(pdf);
  line(review.title, { bold: true, size: 18 });
  line(review.span, { soft: true });
  line(made, { soft: true });

  heading("What we learned");
  if (review.learned === null) line("Nobody has written it yet.", { soft: true });
  else {
    line(review.learned.text);
    line(review.learned.when, { soft: true, size: 9 });
  }

  heading("Figures");
  for (const [label, value] of review.figures) line(`${label}: ${value}`);

  heading("Volume by hour", CHART.height + 50);
  for (const one of review.volume) drawVolume(pdf, one, line);
  if (review.volume.length === 0) line("No mention is kept.", { soft: true });

  heading("Stories");
  for (const { mentions, words, detail } of review.stories) {
    line(words);
    line(`${mentions}, ${detail}`, { soft: true, size: 9 });
    pdf.moveDown(0.4);
  }
  if (review.stories.length === 0) line("No three mentions say the same.", { soft: true });

  heading("What happened");
  for (const { when, what, detail } of review.timeline) {
    line(`${when}  ${what}`);
    if (detail !== "") line(detail, { soft: true, size: 9, indent: 12 });
  }

  heading("Statements");
  for (const { when, status, text } of review.statements) {
    if (status !== null) line(status, { bold: true });
    line(text);
    line(when, { soft: true, size: 9 });
    pdf.moveDown(0.4);
  }
  if (review.statements.length === 0) line("None was written.", { soft: true });
}

/** Bars by hour: negative mentions from the ground, others on them. */
function drawVolume(
  pdf: PDFKit.PDFDocument,
  { queryName, hours, total, negative, peak }: QueryVolume,
  line: (text: string, look?: TextStyle) => unknown,
): void {
  if (pdf.y > pdf.page.height - MARGIN - CHART.height - 40) pdf.addPage();
  line(
    `${queryName}: ${counted(total, "mention")}, ${formatNumber(negative)} of them negative; the largest hour had ${formatNumber(peak.total)}`,
  );
  const ground = pdf.y + CHART.height + 4;
  const step = CHART.width / hours.length;
  const scale = CHART.height / Math.max(1, peak.total);
  hours.forEach((hour, n) => {
    const bar = (from: number, count: number, fill: string) => {
      if (count > 0)
        pdf.rect(MARGIN + n * step, ground - (from + count) * scale, step * 0.8, count * scale).fill(fill);
    };
    bar(0, hour.negative, FILLS.negative);
    bar(hour.negative, hour.total - hour.negative, FILLS.other);
  });
  pdf
    .moveTo(MARGIN, ground)
    .lineTo(MARGIN + CHART.width, ground)
    .lineWidth(0.5)
    .stroke(SOFT);
  pdf.y = ground + 4;
  line("Dark: negative. Light: all others. One bar is one hour.", { soft: true, size: 8 });
  pdf.moveDown(0.6);
}

/** What is no letter would be drawn as a box, and what turns the direction of text would hide what it says. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, " ");
}
