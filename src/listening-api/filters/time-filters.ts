import { defineFilter, type Filter } from "./define-filter.ts";

/** `sinceAdded`, `sinceUpdated` (strictly after the moment) and `sourceType=new` (no backfilled mentions). */
export const arrivalFilters: readonly Filter[] = [
  sinceFilter("sinceAdded", "added"),
  sinceFilter("sinceUpdated", "updated"),
  defineFilter({
    name: "sourceType",
    read(parameters) {
      const value = parameters.oneOf("sourceType", ["new"]);
      return value && { kind: "is", field: "backfilled", value: false };
    },
  }),
];

function sinceFilter(name: string, field: "added" | "updated"): Filter {
  return defineFilter({
    name,
    read(parameters, scope) {
      const at = parameters.moment(name, scope.timezone);
      return at === undefined ? undefined : { kind: "after", field, at };
    },
  });
}

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** `hourOfDay` (0 to 23) and `dayOfWeek` (1, Monday, to 7, or the English name), in the zone of the request. */
export const clockFilters: readonly Filter[] = [
  defineFilter({
    name: "hourOfDay",
    read(parameters, { timezone: zone }) {
      const values = parameters.texts("hourOfDay").flatMap((text) => {
        if (/^\d{1,2}$/.test(text) && Number(text) < 24) return [Number(text)];
        parameters.fault(
          `hourOfDay: expected an hour from 0 to 23, got ${JSON.stringify(text.slice(0, 60))}.`,
        );
        return [];
      });
      return values.length === 0 ? undefined : { kind: "hour", zone, values };
    },
  }),
  defineFilter({
    name: "dayOfWeek",
    read(parameters, { timezone: zone }) {
      const values = parameters.texts("dayOfWeek").flatMap((text) => {
        const day = /^[1-7]$/.test(text) ? Number(text) : DAYS.indexOf(text.toLowerCase()) + 1;
        if (day > 0) return [day];
        parameters.fault(
          `dayOfWeek: expected a day from 1 (Monday) to 7 or its English name, got ${JSON.stringify(text.slice(0, 60))}.`,
        );
        return [];
      });
      return values.length === 0 ? undefined : { kind: "weekday", zone, values };
    },
  }),
];
