import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";

export interface PngRenderer {
  /** The drawing as PNG, `scale` times its own size. Throws if it is no SVG. */
  render(svg: string, scale?: number): Promise<Buffer>;
  /** Ends the thread. Renderings that are not done are refused. */
  close(): Promise<void>;
}

/**
 * Renders drawings in its own thread, started with the first one: a picture takes about 40 ms, and jobs, pages and
 * leases must not wait for it. It uses only the fonts in node_modules, never the system's, so a picture is the same on
 * every machine.
 */
export function createPngRenderer(): PngRenderer {
  let worker: Worker | undefined;
  let next = 0;
  const waiting = new Map<number, (answer: Answer) => void>();

  const refuseAll = (error: string): void => {
    for (const settle of waiting.values()) settle({ id: -1, error });
    waiting.clear();
    worker = undefined;
  };
  const start = (): Worker => {
    const started = new Worker(PROGRAM, {
      eval: true,
      workerData: { from: import.meta.url, fonts: fontFiles() },
    });
    started.on("message", (answer: Answer) => {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
      if (waiting.size === 0) started.unref();
    });
    started.on("error", (error) => refuseAll(String(error)));
    started.on("exit", () => refuseAll("the thread that renders pictures has ended"));
    return started;
  };

  return {
    render: async (svg, scale = 2) => {
      worker ??= start();
      worker.ref();
      const id = next++;
      const answer = await new Promise<Answer>((settle) => {
        waiting.set(id, settle);
        worker?.postMessage({ id, svg, scale });
      });
      if (answer.png === undefined) throw new Error(`a drawing could not be rendered: ${answer.error}`);
      return Buffer.from(answer.png.buffer, answer.png.byteOffset, answer.png.byteLength);
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}

interface Answer {
  readonly id: number;
  readonly png?: Uint8Array;
  readonly error?: string;
}

/** A program in a string, because a thread is given a file that Node can read: compiled, or not, under another name. */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const { Resvg } = require("node:module").createRequire(workerData.from)("@resvg/resvg-js");
const font = {
  fontFiles: workerData.fonts,
  loadSystemFonts: false,
  defaultFontFamily: "DejaVu Sans",
  sansSerifFamily: "DejaVu Sans",
  serifFamily: "DejaVu Sans",
  monospaceFamily: "DejaVu Sans",
};
parentPort.on("message", ({ id, svg, scale }) => {
  try {
    const png = new Resvg(svg, { font, fitTo: { mode: "zoom", value: scale } }).render().asPng();
    parentPort.postMessage({ id, png });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error && error.message || error) });
  }
});
`;

function fontFiles(): readonly string[] {
  const fonts = join(dirname(createRequire(import.meta.url).resolve("dejavu-fonts-ttf/package.json")), "ttf");
  return ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) => join(fonts, file));
}
