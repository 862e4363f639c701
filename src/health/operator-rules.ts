import { MINUTE } from "../lib/instant.ts";
import type { Severity } from "../model/severity.ts";
import type { OperatorRuleName } from "./problem.ts";

interface OperatorRule {
  readonly severity: Severity;
  /** It is over when it was not seen for so long: what comes and goes is one alert. */
  readonly overAfterMs: number;
  readonly description: string;
}

/** The alerts of Earshot about itself, by rule name. How long a trouble has to last stands in the settings. */
export const OPERATOR_RULES: Readonly<Record<OperatorRuleName, OperatorRule>> = {
  "source-refuses": {
    severity: "critical",
    overAfterMs: 2 * MINUTE,
    description:
      "The source refuses our login or what we ask for, so nothing new is seen. Earshot goes on trying.",
  },
  "source-rate-limited": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "The account is over its rate limit for long, so mentions are seen late.",
  },
  "source-lag": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description: "Queries are not read up to the present, so alerts come late.",
  },
  "query-silent": {
    severity: "warning",
    overAfterMs: 10 * MINUTE,
    description: "A query that is usually busy at this hour brings nothing. It may be broken at the source.",
  },
  "queue-stands-still": {
    severity: "critical",
    overAfterMs: 2 * MINUTE,
    description:
      "Work is due and nobody takes it. Nothing is lost: it stands in the tables and goes on when a worker comes.",
  },
  "receiver-fails": {
    severity: "critical",
    overAfterMs: 5 * MINUTE,
    description: "A receiver does not get its messages.",
  },
  "messages-given-up": {
    severity: "warning",
    overAfterMs: 5 * MINUTE,
    description: "Messages could not be delivered and are not tried again by themselves.",
  },
  "receiver-bounces": {
    severity: "critical",
    overAfterMs: 5 * MINUTE,
    description: "Mails to a receiver were taken by the mail server and came back later.",
  },
  "pictures-left-out": {
    severity: "info",
    overAfterMs: 2 * MINUTE,
    description: "Messages come without their pictures. Everything else of them arrives.",
  },
  "digest-not-built": {
    severity: "warning",
    overAfterMs: 2 * MINUTE,
    description: "A digest was due and is not written.",
  },
  "engine-was-away": {
    severity: "warning",
    overAfterMs: MINUTE,
    description: "Something that Earshot stands on was not there for a while.",
  },
  "dead-letters": {
    severity: "warning",
    overAfterMs: MINUTE,
    description: "Something always failed and stands aside, so that it blocks nothing else.",
  },
};
