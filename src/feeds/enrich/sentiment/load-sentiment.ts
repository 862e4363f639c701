import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { shippedFolder } from "../../../lib/folders.ts";
import { createJudge, type JudgeSentiment } from "./judge.ts";
import { decodeModel } from "./model-file.ts";

let judge: Promise<JudgeSentiment> | undefined;

/** Reads the model once in a process, about a tenth of a second: only what judges texts loads it. README.md says more. */
export function loadSentiment(): Promise<JudgeSentiment> {
  judge ??= readFile(join(shippedFolder("src/feeds/enrich/sentiment"), "model.bin")).then((file) =>
    createJudge(decodeModel(file)),
  );
  return judge;
}
