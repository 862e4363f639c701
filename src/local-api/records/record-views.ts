import { createRecordView, type RecordView } from "./record-view.ts";
import type { ViewOptions } from "./view-options.ts";

/** The views of a server. They are few, and each remembers what it worked out for the kinds of mentions it met. */
export interface RecordViews {
  of(options: ViewOptions): RecordView;
}

export function createRecordViews(): RecordViews {
  const views = new Map<string, RecordView>();
  return {
    of(options) {
      const key = [options.version, options.policy, options.text].join(" ");
      const view = views.get(key) ?? createRecordView(options);
      views.set(key, view);
      return view;
    },
  };
}
