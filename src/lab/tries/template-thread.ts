import { composeEmail, previewSlack, type TemplateToTry, tryTemplate } from "#monitor";
import { serveTasks } from "../../lib/serve-tasks.ts";

const COMPOSE = { slack: previewSlack, email: composeEmail };

/** Tries templates that were typed into the console. */
const tasks = {
  tryTemplate: async () => (template: TemplateToTry) => tryTemplate(template, COMPOSE),
};
export type TemplateTasks = typeof tasks;

serveTasks(tasks);
