/** The engines and vendors that a worker calls. */
export const PEERS = ["postgres", "redis", "slack", "smtp", "webhook", "api"] as const;
export type Peer = (typeof PEERS)[number];

type Side = "before" | "after";

/** A request of a worker to another process: a statement, a command, a call. */
export interface Step {
  readonly peer: Peer;
  /** The same for the same statement, whatever its values: a point is found again by it. */
  readonly name: string;
}

/** A moment at which the worker is to die or to be held: at the n-th step of this name. */
export interface Point extends Step {
  readonly side: Side;
  /** From 1. Before: of those that were asked. After: of those that left something behind. */
  readonly nth: number;
}

export interface SeenStep extends Step {
  /** How often it was asked, and how often it left something behind. */
  asked: number;
  left: number;
}

/** The fate of a step: it passes, or its connection is dead, perhaps only later. */
export type Verdict = boolean | Promise<boolean>;

/** Everything that the worker says passes here. */
export interface Gate {
  /**
   * From now on steps count. Null: they are only counted. A number: the point is after so many steps that left something
   * behind. `onReached` decides what happens to the step.
   */
  arm(point: Point | number | null, onReached: () => Verdict): void;
  /** Steps count no more. Gives what was seen, in the order of the first of each name. */
  disarm(): readonly SeenStep[];
  before(step: Step): Verdict;
  after(step: Step, leaves: boolean): Verdict;
  /** A worker that was held goes on. */
  resumed(): void;
  /** Whether it then posted without another look at its claim: it was held between that look and Slack's acceptance. */
  postedAtOnce(): boolean;
  /** The worker is dead for everybody outside: from this instant nothing passes any more, in no direction. */
  shut(): void;
  /** Its process is gone, and every connection is cut: what comes now is another worker. */
  reopen(): void;
  isShut(): boolean;
}

export function createGate(): Gate {
  let seen = new Map<string, SeenStep>();
  let isShut = false;
  /** What a worker that was held does first: `open`, nothing yet. Null: none was held. */
  let first: "looked" | "posted" | "open" | null = null;
  let armed: { readonly point: Point | number | null; readonly onReached: () => Verdict } | null = null;
  let left = 0;

  const pass = (step: Step, side: Side, count: (of: SeenStep) => number): Verdict => {
    if (armed === null) return true;
    const key = `${step.peer} ${step.name}`;
    const known = seen.get(key) ?? { ...step, asked: 0, left: 0 };
    seen.set(key, known);
    const nth = count(known);
    const { point, onReached } = armed;
    if (side === "after") left += 1;
    const isIt =
      typeof point === "number"
        ? side === "after" && point === left
        : point?.side === side && point.peer === step.peer && point.name === step.name && point.nth === nth;
    if (!isIt) return true;
    armed = { point: null, onReached };
    return onReached();
  };

  return {
    arm: (point, onReached) => {
      seen = new Map();
      left = 0;
      first = null;
      armed = { point, onReached };
    },
    disarm: () => {
      armed = null;
      return [...seen.values()];
    },
    before: (step) => {
      if (first === "open" && step.name === POST) first = "posted";
      if (first === "open" && LOOK.test(step.name)) first = "looked";
      return pass(step, "before", (of) => ++of.asked);
    },
    resumed: () => {
      first = "open";
    },
    postedAtOnce: () => first === "posted",
    shut: () => {
      isShut = true;
    },
    reopen: () => {
      isShut = false;
    },
    isShut: () => isShut,
    after: (step, leaves) => (leaves ? pass(step, "after", (of) => ++of.left) : true),
  };
}

/** The call that posts a message to Slack. */
export const POST = "chat.postMessage";
/** A delivery renews its claim just before it posts. */
const LOOK = /^update \S*notifications set leased_until_wall = .* attempts = /;

/**
 * The points of what was seen. What a death before a step leaves is what one after the step before it left, so those
 * after steps that left something behind are all that differ; with `every`, the others are points as well. Where it
 * depends on chance how often something is asked (again and again until there is something to take), only the times
 * that left something behind can be found again.
 */
export function pointsOf(seen: readonly SeenStep[], every: boolean): Point[] {
  return seen.flatMap(({ peer, name, asked, left }) => {
    const after = Array.from(
      { length: left },
      (_, index): Point => ({ peer, name, side: "after", nth: index + 1 }),
    );
    if (!every || (asked !== left && left > 0)) return after;
    const sides: readonly Side[] = left === 0 ? ["before"] : ["before", "after"];
    return Array.from({ length: asked }, (_, index) =>
      sides.map((side): Point => ({ peer, name, side, nth: index + 1 })),
    ).flat();
  });
}
