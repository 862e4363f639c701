import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type SpikeTuning, TUNING } from "../../src/monitor/rules/spike/sensitivity.ts";
import {
  alertsOf,
  isKitHere,
  KIT,
  type LabelledSeries,
  largestBursts,
  type Options,
  readEvents,
  readLabelled,
  readLoadBalancer,
} from "./spike/kit.ts";
import { normalized, type RawScore, scoreSeries, type Weighting } from "./spike/nab-score.ts";

// How much of the detector's score stays when its constants are moved, and what it does to series that nobody labelled.
// A change is judged by this table and never by the six labelled series alone: src/monitor/rules/spike/README.md says how.

const { values: options } = parseArgs({
  options: {
    set: { type: "string", multiple: true, default: [] },
    zone: { type: "string", default: "UTC" },
    parts: { type: "string", default: "r,leave-one-out,flat,thin,events,simulation" },
    quick: { type: "boolean", default: false },
  },
});
const parts = options.parts.split(",");
const tuning = tuned(options.set);
const DRAWS = 40;
const DAYS_OF_EVENTS = 730;
/** By how much the constants are moved in a draw, as the standard deviation of a logarithm. */
const MOVED = 0.12;
const CONSTANTS = Object.keys(TUNING) as (keyof SpikeTuning)[];
/** The settings that leave-one-out chooses from: the middle, and each of the two that matter most to both sides. */
const FAMILY: readonly Partial<SpikeTuning>[] = [
  {},
  { gate: 2.2 },
  { gate: 2.8 },
  { gate: 3.4 },
  { waveWeight: 0.2 },
  { waveWeight: 0.3 },
];

if (isKitHere()) await main();
else process.exitCode = 1;

async function main(): Promise<void> {
  const { Random } = (await import(pathToFileURL(join(KIT, "lib.mjs")).href)) as { Random: RandomClass };
  const series = readLabelled();
  const draws = drawFactors(Random);
  const line = (measure: string, found: string, asked = ""): void =>
    console.log(`${measure.padEnd(60)} ${found.padEnd(34)} ${asked}`.trimEnd());
  console.log(
    `settings: ${CONSTANTS.map((name) => `${name} ${Math.round(tuning[name] * 1000) / 1000}`).join(", ")}; hours of ${options.zone}\n`,
  );
  line("measure", "found", "asked for");

  const centre = scoresOf(series, { tuning });
  line(
    "six series: standard / low-FP / low-FN",
    (["standard", "lowFP", "lowFN"] as const)
      .map((weighting) => fixed(total(series, { tuning }, weighting)))
      .join(" / "),
  );
  if (parts.includes("r")) {
    const drawn = draws.map((draw) =>
      normalized(scoresOf(series, { tuning: moved(tuning, draw) }), "standard"),
    );
    const [mean, sd] = [meanOf(drawn), deviationOf(drawn)];
    line(`${DRAWS} draws: mean (sd)`, `${fixed(mean)} (${fixed(sd)})`);
    line("R = mean - sd / 2", fixed(mean - sd / 2), "what counts");
    line("optimism = centre - mean", fixed(normalized(centre, "standard") - mean), "at most 1.0");
  }
  if (parts.includes("leave-one-out")) {
    const { atCentre, overDraws, chosen } = leaveOneOut(series, draws);
    line("leave one out: over draws / centre", `${fixed(overDraws)} / ${fixed(atCentre)}`);
    line("  settings that were chosen", chosen.join("; "));
  }
  if (parts.includes("flat")) {
    const losses = CONSTANTS.flatMap((name) =>
      [0.8, 1.2].map((factor) => ({
        name: `${name} x ${factor}`,
        loss:
          normalized(centre, "standard") -
          total(series, { tuning: { ...tuning, [name]: factor * tuning[name] } }, "standard"),
      })),
    ).sort((a, b) => b.loss - a.loss);
    const [worst, second] = losses;
    line(
      "flatness: most lost at .8 or 1.2 of one",
      `${fixed(worst?.loss ?? 0)} (${worst?.name}), ${fixed(second?.loss ?? 0)} (${second?.name})`,
      "at most 2.5",
    );
  }
  if (parts.includes("thin")) {
    const seeds = Array.from({ length: options.quick ? 4 : 20 }, (_, seed) => seed + 1);
    const thinned = seeds.map((seed) => series.map((one) => thin(Random, one, seed)));
    const found = (["standard", "lowFP", "lowFN"] as const).map((weighting) =>
      fixed(meanOf(thinned.map((six) => total(six, { tuning }, weighting)))),
    );
    line(`thinned to a tenth, ${seeds.length} seeds`, found.join(" / "), "standard at least 75");
  }
  if (parts.includes("events")) {
    for (const name of ["ansible", "tldr", "free-programming-books"]) {
      const stream = readEvents(name, Date.UTC(2022, 7, 1), DAYS_OF_EVENTS);
      // The cooldown that rules have.
      const alerts = alertsOf(stream, { tuning, zone: options.zone, cooldownBuckets: 36 });
      const bursts = largestBursts(stream);
      // A burst may begin before the two hours in which it is largest.
      const reported = bursts.filter((end) =>
        alerts.some((bucket) => bucket > end - 48 && bucket <= end + 6),
      );
      line(
        `events of ${name}: pages a day, largest reported`,
        `${fixed(alerts.length / DAYS_OF_EVENTS, 3)}, ${reported.length} of ${bursts.length}`,
        "at most .18",
      );
    }
    const balancer = readLoadBalancer();
    const alerts = alertsOf(balancer, { tuning, zone: options.zone });
    const hit = balancer.windows.filter(([from, to]) =>
      alerts.some((bucket) => bucket >= from && bucket <= to),
    );
    line(
      "load balancer: labels found, alerts in all",
      `${hit.length} of ${balancer.windows.length}, ${alerts.length}`,
      "2 of 2",
    );
  }
  if (parts.includes("simulation")) await simulate(line);
}

/** Both worlds of the kit's simulation, through the command, as it reads nothing but a command. */
async function simulate(line: (measure: string, found: string, asked?: string) => void): Promise<void> {
  if (options.set.length > 0 || options.zone !== "UTC") {
    line("simulation", "left out: it runs the shipped settings");
    return;
  }
  const worlds = [
    { name: "simulation", flags: [], most: ".05" },
    {
      name: "wilder simulation",
      flags: ["--noise", ".45", "--memory", "4h", "--cluster", "1.4"],
      most: ".07",
    },
  ];
  for (const { name, flags, most } of worlds) {
    const found = await runKit<{
      calibration: { perDay: number }[];
      bursts: { recall: number; medianMinutes: number | null }[];
    }>([
      ...flags,
      "--parts",
      "calibration,bursts",
      "--bursts",
      "100:400",
      ...(options.quick ? ["--quick"] : []),
    ]);
    const worst = Math.max(...found.calibration.map(({ perDay }) => perDay));
    const [burst] = found.bursts;
    line(`${name}: worst false alarms a day`, fixed(worst, 3), `at most ${most}`);
    line(
      `${name}: +400 at 100 an hour`,
      `${fixed(burst?.recall ?? 0, 2)} in ${burst?.medianMinutes} min`,
      name === "simulation" ? "at least .95 in 15 min" : "",
    );
  }
}

function runKit<Result>(flags: readonly string[]): Promise<Result> {
  const command = [
    process.execPath,
    "--import",
    "tsx",
    join(import.meta.dirname, "../../src/cli/main.ts"),
    "detect",
    "--cooldown",
    "6h",
  ];
  const child = spawn(process.execPath, [join(KIT, "simulate.mjs"), "--json", ...flags, "--", ...command], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((done, failed) => {
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
    });
    child.on("error", failed);
    child.on("close", (code) => {
      if (code === 0) done(JSON.parse(text) as Result);
      else failed(new Error(`simulate.mjs ended with ${code}`));
    });
  });
}

/** For each series the setting that the five others would choose, and what it does to the one left out. */
function leaveOneOut(series: readonly LabelledSeries[], draws: readonly Factors[]) {
  const settings = FAMILY.map((change) => {
    const one = { ...tuning, ...change };
    return {
      change,
      centre: scoresOf(series, { tuning: one }),
      drawn: draws.map((draw) => scoresOf(series, { tuning: moved(one, draw) })),
    };
  });
  const chosen = series.map((_, left) => {
    const without = (scores: readonly RawScore[]): RawScore[] => scores.filter((__, i) => i !== left);
    const rated = settings.map((setting) => {
      const scores = setting.drawn.map((draw) => normalized(without(draw), "standard"));
      return { setting, r: meanOf(scores) - deviationOf(scores) / 2 };
    });
    return rated.reduce((best, one) => (one.r > best.r ? one : best)).setting;
  });
  const pick = (scores: readonly RawScore[], left: number): RawScore[] => scores.slice(left, left + 1);
  return {
    atCentre: normalized(
      chosen.flatMap((setting, left) => pick(setting.centre, left)),
      "standard",
    ),
    overDraws: meanOf(
      draws.map((_, draw) =>
        normalized(
          chosen.flatMap((setting, left) => pick(setting.drawn[draw] ?? [], left)),
          "standard",
        ),
      ),
    ),
    chosen: chosen.map(
      ({ change }, left) =>
        `${series[left]?.name} ${JSON.stringify(change).replaceAll(/["{}]/g, "") || "as it is"}`,
    ),
  };
}

function scoresOf(
  series: readonly LabelledSeries[],
  how: Options,
  weighting: Weighting = "standard",
): RawScore[] {
  return series.map((one) => scoreSeries(one, alertsOf(one, { zone: options.zone, ...how }), weighting));
}

function total(series: readonly LabelledSeries[], how: Options, weighting: Weighting): number {
  return normalized(scoresOf(series, how, weighting), weighting);
}

type Factors = Readonly<Record<keyof SpikeTuning, number>>;
interface RandomOf {
  normal(): number;
  binomial(n: number, p: number): number;
}
type RandomClass = new (...seed: (string | number)[]) => RandomOf;

/** The same moves for every setting that is measured. */
function drawFactors(Random: RandomClass): Factors[] {
  return Array.from({ length: DRAWS }, (_, draw) => {
    const random = new Random("robustness", draw);
    return Object.fromEntries(CONSTANTS.map((name) => [name, Math.exp(MOVED * random.normal())])) as Factors;
  });
}

function moved(setting: SpikeTuning, draw: Factors): SpikeTuning {
  return Object.fromEntries(
    CONSTANTS.map((name) => [name, setting[name] * draw[name]]),
  ) as unknown as SpikeTuning;
}

function thin(Random: RandomClass, series: LabelledSeries, seed: number): LabelledSeries {
  const random = new Random("thin", seed, 0.1, series.name);
  return { ...series, counts: series.counts.map((count) => random.binomial(count, 0.1)) };
}

/** `--set gate=3.1 --set waveWeight=0`. */
function tuned(changes: readonly string[]): SpikeTuning {
  const found: Partial<Record<string, number>> = { ...TUNING };
  for (const change of changes) {
    const [name = "", value = ""] = change.split("=");
    if (!(name in TUNING) || !Number.isFinite(Number.parseFloat(value)))
      throw new Error(
        `--set ${change}: expected one of ${Object.keys(TUNING).join(", ")}, and a number behind "="`,
      );
    found[name] = Number.parseFloat(value);
  }
  return found as unknown as SpikeTuning;
}

function meanOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function deviationOf(figures: readonly number[]): number {
  const mean = meanOf(figures);
  return Math.sqrt(figures.reduce((sum, figure) => sum + (figure - mean) ** 2, 0) / (figures.length - 1));
}

function fixed(figure: number, digits = 1): string {
  return figure.toFixed(digits);
}
