import { asOne, calmFrom, type Earshot, isSmall, OWN_QUERY, queryNamesOf } from "#monitor";
import { toIso } from "../../lib/instant.ts";
import type { LocalParts } from "../local/local-parts.ts";

/** The result of a replay. Times are the replay's own. */
export interface ReplayReport {
  readonly mentions: readonly { readonly query: string; readonly served: number; readonly stored: number }[];
  readonly alerts: readonly {
    readonly rule: string;
    readonly query: string;
    readonly severity: string;
    readonly openedAt: string;
    readonly resolvedAt: string | null;
    readonly mentions: number;
    readonly because: string;
  }[];
  /** In the order in which they began. One warning that nothing joined is an alert alone. */
  readonly incidents: readonly {
    readonly query: string;
    readonly severity: string;
    readonly openedAt: string;
    /** When it became calm; null while it is not over. */
    readonly endedAt: string | null;
    readonly alerts: number;
  }[];
  readonly deliveries: readonly {
    readonly receiver: string;
    readonly sent: number;
    readonly failed: number;
    readonly pending: number;
  }[];
  readonly apiCalls: number;
}

const MOST_INCIDENTS = 10_000;

/** Reads the result of a replay from the tables and the API. */
export async function reportOf(earshot: Earshot, local: LocalParts): Promise<ReplayReport> {
  const apiCalls = local.calls();
  const { stores } = earshot;
  const stored = (await stores.mentions.countByQuery()).filter(
    (query) => query.projectId !== OWN_QUERY.projectId,
  );
  const served = await earshot.totals();
  const alerts = await stores.alerts.openedBetween(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const incidents = await stores.incidents.list(true, MOST_INCIDENTS);
  return {
    mentions: stored.map((query) => ({
      query: query.name,
      served: served.get(query.queryId) ?? 0,
      stored: query.stored,
    })),
    alerts: alerts
      .filter((alert) => alert.firedAt !== null)
      .map(({ rule, queryName, severity, openedAt, resolvedAt, mentions, because }) => ({
        rule,
        query: queryName,
        severity,
        openedAt: toIso(openedAt),
        resolvedAt: resolvedAt === null ? null : toIso(resolvedAt),
        mentions,
        because,
      })),
    incidents: incidents
      .map((whole) => ({ ...asOne(whole), queryName: queryNamesOf(whole) }))
      .filter((incident) => !isSmall(incident))
      .toSorted((a, b) => a.openedAt - b.openedAt)
      .map((incident) => ({
        query: incident.queryName,
        severity: incident.severity,
        openedAt: toIso(incident.openedAt),
        endedAt: incident.endedAt === null ? null : toIso(calmFrom(incident) ?? incident.endedAt),
        alerts: incident.alerts,
      })),
    deliveries: await stores.notifications.countByState(),
    apiCalls,
  };
}
