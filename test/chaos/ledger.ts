/** What has to be stored and sent. Keys are words that a person can look up. */
export interface ExpectedWorld {
  /** Key → last sentiment. */
  readonly mentions: ReadonlyMap<string, string>;
  /** Mentions by series and query. */
  readonly counts: ReadonlyMap<string, number>;
  readonly alerts: readonly string[];
  /** Required notifications: reader and subject. */
  readonly sent: readonly string[];
  /** Allowed notifications, once each. */
  readonly may: readonly string[];
}

/** What Earshot and the vendors have at the end. Entries may repeat: repetitions are counted. */
export interface ActualWorld {
  readonly mentions: readonly { readonly key: string; readonly sentiment: string | null }[];
  readonly counts: ReadonlyMap<string, number>;
  readonly alerts: readonly string[];
  /** Messages that were delivered. `identity`: a reader's program shows messages of one identity once. */
  readonly sent: readonly { readonly key: string; readonly identity: string | null }[];
  /**
   * Mails that the mail server accepted before it broke the connection: Earshot cannot know, and sends each once more.
   */
  readonly acceptedWithoutAnswer: number;
  /** Mails that a kill repeated beside another one: the theory counts that kill once. */
  readonly repeatedBeside: number;
  /** How many mails more come twice in a run like this one, by the theory: see docs/reliability.md. */
  readonly repeatsExpected: number;
  /** Kinds of kills, faults and messages, and how often each happened. */
  readonly happened: ReadonlyMap<string, number>;
  /** As the API counts: the most calls in any rolling window, and how many are allowed. */
  readonly calls: { readonly most: number; readonly limit: number };
}

export interface LedgerLine {
  readonly what: string;
  /** Of how many. */
  readonly of: number;
  readonly wrong: number;
  /** Null: only reported. */
  readonly limit: number | null;
  readonly broken: boolean;
  /** A few keys to look up. */
  readonly examples: readonly string[];
}

/** Compares what was found with what was expected. Pure. */
export function compareWorlds(expected: ExpectedWorld, found: ActualWorld): LedgerLine[] {
  const stored = timesOf(found.mentions.map(({ key }) => key));
  const alerted = timesOf(found.alerts);
  const sent = timesOf(found.sent.map(({ key }) => key));
  const expectedAlerts = new Set(expected.alerts);
  const expectedSent = new Set([...expected.sent, ...expected.may]);
  const messages = found.sent.length;
  const stale = found.mentions.filter(
    ({ key, sentiment }) => expected.mentions.has(key) && expected.mentions.get(key) !== sentiment,
  );
  return [
    line("mentions lost", expected.mentions.size, missing(expected.mentions.keys(), stored)),
    line("mentions stored twice", expected.mentions.size, repeated(stored)),
    line("mentions that were never written", found.mentions.length, unknown(stored, expected.mentions)),
    line(
      "changes of mentions missed",
      expected.mentions.size,
      stale.map(({ key }) => key),
    ),
    ...countLines(expected.counts, found.counts),
    line("alerts lost", expected.alerts.length, missing(expected.alerts, alerted)),
    line("alerts twice", expected.alerts.length, repeated(alerted)),
    line("alerts without a reason", found.alerts.length, unknown(alerted, expectedAlerts)),
    line("notifications lost", expected.sent.length, missing(expected.sent, sent)),
    line("notifications without a reason", messages, unknown(sent, expectedSent)),
    line("messages seen twice", messages, seenTwice(found)),
    line(
      "mails that came again, and need not",
      messages,
      repeatedIdentities(found.sent).slice(found.acceptedWithoutAnswer + found.repeatedBeside),
      mostByChance(found.repeatsExpected),
    ),
    line("kinds of faults that never happened", found.happened.size, never(found.happened)),
    callLine(found.calls),
  ];
}

function line(what: string, of: number, wrong: readonly string[], limit: number | null = 0): LedgerLine {
  return {
    what,
    of,
    wrong: wrong.length,
    limit,
    broken: limit !== null && wrong.length > limit,
    examples: wrong.slice(0, 3),
  };
}

function callLine({ most, limit }: ActualWorld["calls"]): LedgerLine {
  const wrong = Math.max(0, most - limit);
  return {
    what: "calls over the budget in any window",
    of: most,
    wrong,
    limit: 0,
    broken: wrong > 0,
    examples: [],
  };
}

/** Too high: counted twice. Too low: not counted. */
function countLines(expected: ExpectedWorld["counts"], found: ActualWorld["counts"]): LedgerLine[] {
  const keys = [...new Set([...expected.keys(), ...found.keys()])];
  const of = keys.reduce((sum, key) => sum + (expected.get(key) ?? 0), 0);
  const surplus = (key: string): number => (found.get(key) ?? 0) - (expected.get(key) ?? 0);
  const sum = (what: string, sign: 1 | -1): LedgerLine => {
    const wrong = keys.filter((key) => surplus(key) * sign > 0);
    const total = wrong.reduce((all, key) => all + surplus(key) * sign, 0);
    return { what, of, wrong: total, limit: 0, broken: total > 0, examples: wrong.slice(0, 3) };
  };
  return [sum("mentions not counted", -1), sum("mentions counted twice", 1)];
}

function timesOf(keys: Iterable<string>): Map<string, number> {
  const times = new Map<string, number>();
  for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
  return times;
}

function missing(expected: Iterable<string>, there: ReadonlyMap<string, number>): string[] {
  return [...expected].filter((key) => !there.has(key));
}

function unknown(there: ReadonlyMap<string, number>, expected: { has(key: string): boolean }): string[] {
  return [...there.keys()].filter((key) => !expected.has(key));
}

/** One entry for each time too many. */
function repeated(times: ReadonlyMap<string, number>): string[] {
  return [...times].flatMap(([key, n]) => Array<string>(n - 1).fill(key));
}

/** But for mails under one Message-ID, which have a line of their own. */
function seenTwice({ sent }: ActualWorld): string[] {
  const twice = repeated(timesOf(sent.map(({ key }) => key)));
  for (const key of repeatedIdentities(sent)) twice.splice(twice.indexOf(key), 1);
  return twice;
}

/** The most of what is rare and comes independently (Poisson) that a sound run has, but for one run in a thousand. */
export function mostByChance(mean: number): number {
  let [most, chance] = [0, Math.exp(-mean)];
  for (let sum = chance; sum < 0.999; sum += chance) {
    most += 1;
    chance *= mean / most;
  }
  return most;
}

function never(happened: ActualWorld["happened"]): string[] {
  return [...happened].filter(([, times]) => times === 0).map(([kind]) => kind);
}

function repeatedIdentities(sent: ActualWorld["sent"]): string[] {
  const named = sent.flatMap(({ key, identity }) => (identity === null ? [] : [`${key} ${identity}`]));
  return repeated(timesOf(named)).map((one) => one.slice(0, one.lastIndexOf(" ")));
}
