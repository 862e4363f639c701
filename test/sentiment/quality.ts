import { SENTIMENTS, type Sentiment } from "../../src/feeds/enrich/sentiment/model-file.ts";

export interface LabelledAnswer {
  readonly is: Sentiment;
  readonly said: Sentiment;
}

/** Accuracy from 0 to 1, macro-F1 from 0 to 100, and two parts of the negative texts, from 0 to 1 (null: there are none). */
export interface Quality {
  readonly accuracy: number;
  readonly macroF1: number;
  readonly negativesFound: number | null;
  readonly negativeCalledPositive: number | null;
}

export function qualityOf(answers: readonly LabelledAnswer[]): Quality {
  const f1 = SENTIMENTS.map((one) => {
    const both = answers.filter(({ is, said }) => is === one && said === one).length;
    const either = count(answers, "is", one) + count(answers, "said", one);
    return either === 0 ? 0 : (2 * both) / either;
  });
  const negatives = answers.filter(({ is }) => is === "negative");
  const partOfNegatives = (said: Sentiment) =>
    negatives.length === 0 ? null : count(negatives, "said", said) / negatives.length;
  return {
    accuracy: answers.filter(({ is, said }) => is === said).length / answers.length,
    macroF1: (100 * f1.reduce((sum, one) => sum + one, 0)) / f1.length,
    negativesFound: partOfNegatives("negative"),
    negativeCalledPositive: partOfNegatives("positive"),
  };
}

function count(
  answers: readonly LabelledAnswer[],
  which: keyof LabelledAnswer,
  sentiment: Sentiment,
): number {
  return answers.filter((one) => one[which] === sentiment).length;
}
