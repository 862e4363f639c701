import type { Sense } from "#feeds";
import { counted } from "../../lib/numbers.ts";
import { listIn, withQuestions } from "../common/ask-questions.ts";

/** Shows the meanings of a name with three headlines each, and asks which are meant. Gives their indices; Enter: all. */
export function askForSenses(
  brand: string,
  senses: readonly Sense[],
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<readonly number[]> {
  const all = [...senses.keys()];
  return withQuestions(input, output, ({ ask, say }) => {
    say(`${brand} has ${counted(senses.length, "meaning")} in what the feeds bring now:`);
    senses.forEach(({ words, texts, examples }, at) => {
      say(`  ${at + 1}  ${words.slice(0, 4).join(", ")} (${counted(texts, "text")})`);
      for (const one of examples) say(`       ${one}`);
    });
    return ask(
      "Which do you mean? Numbers with commas between them [all]: ",
      (text) => {
        const named = listIn(text)?.map((one) => Number(one) - 1) ?? all;
        return named.every((one) => all.includes(one)) ? named : undefined;
      },
      `Type numbers from 1 to ${senses.length}.`,
    );
  });
}
