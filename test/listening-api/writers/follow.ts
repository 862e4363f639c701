import { type Fixture, get } from "../fixture.ts";
import type { Process } from "./write-at-once.ts";

/** A program that reads what is new, again and again, and never reads anything twice on purpose: its overlap is 0. */
export interface Follower {
  readonly name: string;
  /** Which mention it knows, and with which `updated`. */
  readonly known: ReadonlyMap<string, string>;
  /** Whether every later version of a mention has to reach it. */
  readonly seesChanges: boolean;
  /** One poll; gives how many mentions it was shown. */
  poll(): Promise<number>;
}

interface Envelope {
  readonly results: readonly { queryId: number; resourceId: string; added: string; updated: string }[];
  readonly nextCursor?: string;
  readonly prevCursor?: string;
}

type Parameters = readonly (readonly [string, string | number])[];

/** By each order, in both directions, with a cursor that is kept or with `since…`; each call at any of the processes. */
export function createFollowers(
  { account, logged, token }: Fixture,
  processes: readonly Process[],
  random: () => number,
): readonly Follower[] {
  const path = `/projects/${account.projectId}/data/mentions`;
  // A page of a few mentions, so that each poll has several.
  const common: Parameters = [
    ...[...account.queries.values()].map((id) => ["queryId", id] as const),
    ...([
      ["startDate", "2020-01-01"],
      ["endDate", "2040-01-01"],
      ["pageSize", 60],
    ] as const),
  ];

  async function read(parameters: Parameters): Promise<Envelope> {
    const { api = processes[0]?.api } = processes[Math.floor(random() * processes.length)] ?? {};
    if (api === undefined) throw new Error("there is no process to ask");
    const { status, body } = await get(api, path, [...common, ...parameters], token);
    if (status !== 200) throw new Error(JSON.stringify(status < 500 ? body : logged.at(-1)));
    return body;
  }

  function follower(
    name: string,
    seesChanges: boolean,
    step: (note: (page: Envelope) => void) => Promise<void>,
  ): Follower {
    const known = new Map<string, string>();
    return {
      ...{ name, known, seesChanges },
      async poll() {
        let shown = 0;
        await step(({ results }) => {
          shown += results.length;
          for (const { queryId, resourceId, updated } of results)
            known.set(`${queryId} ${resourceId}`, updated);
        });
        return shown;
      },
    };
  }

  /** Keeps the last cursor and asks with it again. */
  function byCursor(field: string, seesChanges: boolean): Follower {
    let cursor: string | undefined;
    return follower(`${field} asc nextCursor`, seesChanges, async (note) => {
      for (;;) {
        const order: Parameters = [
          ["orderBy", field],
          ["orderDirection", "asc"],
        ];
        const page = await read(cursor === undefined ? order : [...order, ["cursor", cursor]]);
        note(page);
        cursor = page.nextCursor ?? cursor;
        if (page.results.length === 0 || page.nextCursor === undefined) return;
      }
    });
  }

  /** From the newest on, down to what it has read before. */
  function byNewest(): Follower {
    let until = "";
    return follower("updated desc nextCursor", true, async (note) => {
      let [cursor, highest]: [string | undefined, string] = [undefined, until];
      for (;;) {
        const order: Parameters = [
          ["orderBy", "updated"],
          ["orderDirection", "desc"],
        ];
        const page: Envelope = await read(cursor === undefined ? order : [...order, ["cursor", cursor]]);
        const fresh = page.results.filter(({ updated }) => updated > until);
        note({ ...page, results: fresh });
        for (const { updated } of fresh) if (updated > highest) highest = updated;
        cursor = page.nextCursor;
        if (fresh.length < page.results.length || cursor === undefined) break;
      }
      until = highest;
    });
  }

  /** Asks for what is above the highest moment that it has seen. */
  function bySince(field: "added" | "updated", direction: string): Follower {
    const name = field === "added" ? "sinceAdded" : "sinceUpdated";
    let since = "2020-01-01T00:00:00.000+0000";
    return follower(`${field} ${direction} ${name}`, field === "updated", async (note) => {
      let [cursor, highest]: [string | undefined, string] = [undefined, since];
      do {
        const order: Parameters = [
          ["orderBy", field],
          ["orderDirection", direction],
          [name, since],
        ];
        const page: Envelope = await read(cursor === undefined ? order : [...order, ["cursor", cursor]]);
        note(page);
        for (const one of page.results) if (one[field] > highest) highest = one[field];
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      since = highest;
    });
  }

  /** From the newest mention toward those that came later. */
  function byPrevious(): Follower {
    let cursor: string | undefined;
    return follower("added desc prevCursor", false, async (note) => {
      const order: Parameters = [
        ["orderBy", "added"],
        ["orderDirection", "desc"],
      ];
      for (;;) {
        const page: Envelope = await read(cursor === undefined ? order : [...order, ["cursor", cursor]]);
        note(page);
        if (cursor === undefined) {
          // All of the first walk, then back from its second page.
          for (let next = page.nextCursor, back: string | undefined; next !== undefined; ) {
            const further = await read([...order, ["cursor", next]]);
            note(further);
            back ??= further.prevCursor;
            cursor = back;
            next = further.nextCursor;
          }
          return;
        }
        cursor = page.prevCursor ?? cursor;
        if (page.results.length === 0) return;
      }
    });
  }

  return [
    byCursor("added", false),
    byCursor("updated", true),
    byNewest(),
    byPrevious(),
    ...(["added", "updated"] as const).flatMap((field) => ["asc", "desc"].map((way) => bySince(field, way))),
  ];
}
