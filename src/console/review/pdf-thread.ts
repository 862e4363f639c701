import { serveTasks } from "../../lib/serve-tasks.ts";

/** Writes documents. */
const tasks = { writePdf: async () => (await import("./write-pdf.ts")).writePdf };
export type PdfTasks = typeof tasks;

serveTasks(tasks);
