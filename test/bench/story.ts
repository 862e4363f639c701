import { monotonicMs } from "../../src/lib/clock.ts";
import { storyKey } from "../../src/monitor/model/story.ts";
import { aMention } from "../mention.ts";
import { median } from "./median.ts";

/** Story keys a second of texts as people write them, and of texts written to be slow, as a ratio to those. */
const ROUNDS = 5;
const COUNT = 20_000;

const TEXTS: Readonly<Record<string, (index: number) => string>> = {
  "what people write": (i) =>
    `@united ${i} flights late, my bag is lost and nobody answers the phone at Denver. Never again! http://t.example/${i}`,
  "signs of reposts": (i) => `${i} ${'RT RT :"'.repeat(1_000)}`,
  spaces: (i) => `${i} RT${" ".repeat(8_000)}x@`,
  hashtags: (i) => `${i} ${"#a ".repeat(2_000)}!`,
  quotes: (i) => `${i} ${'"@a '.repeat(2_000)}`,
};

const rates = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round++)
  for (const [name, textOf] of Object.entries(TEXTS)) {
    const tellers = Array.from({ length: COUNT }, (_, i) => aMention({ text: textOf(i) }));
    const startedAt = monotonicMs();
    for (const teller of tellers) storyKey(teller);
    rates.set(name, [...(rates.get(name) ?? []), COUNT / ((monotonicMs() - startedAt) / 1_000)]);
  }

const usual = median(rates.get("what people write") ?? []);
for (const [name, all] of rates) {
  const rate = median(all);
  const ratio = (rate / usual).toFixed(2);
  console.log(
    `${name.padEnd(20)} ${Math.round(rate).toLocaleString("en").padStart(9)} keys/s   ${ratio} of the usual`,
  );
}
