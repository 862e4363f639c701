import { escapeHtml } from "../../lib/text.ts";

/** How buttons of a shown message work: each is a form that posts to `action`. */
export interface PressForm {
  readonly action: string;
  /** What every form carries, by name. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The people that a user select offers. */
  readonly people: readonly { readonly id: string; readonly name: string }[];
}

export interface SlackAction {
  readonly blockId: string;
  readonly actionId: string;
  readonly type: "button" | "static_select" | "users_select";
  /** As HTML. */
  readonly label: string;
  readonly style: string;
  readonly confirm: { readonly title: string; readonly text: string; readonly yes: string } | null;
  readonly options: readonly { readonly text: string; readonly value: string }[];
}

/** A working button or select. A select is a `details` element, which needs no script and stays open. */
export function renderSlackAction(action: SlackAction, form: PressForm): string {
  const { type, label, style, confirm, options } = action;
  if (type === "static_select") return menu(action, form, options, "option");
  if (type === "users_select") {
    const people = form.people.map(({ id, name }) => ({ text: name, value: id }));
    return menu(action, form, people, "user");
  }
  if (confirm === null) {
    return pressForm(action, form, `<button type="submit" class="slack-button${style}">${label}</button>`);
  }
  const question = `<p><strong>${escapeHtml(confirm.title)}</strong> ${escapeHtml(confirm.text)}</p>`;
  const yes = `<button type="submit" class="slack-button">${escapeHtml(confirm.yes)}</button>`;
  return unfold(action, form, `<div>${question}${pressForm(action, form, yes)}</div>`);
}

function menu(
  action: SlackAction,
  form: PressForm,
  choices: readonly { readonly text: string; readonly value: string }[],
  name: "option" | "user",
): string {
  const buttons = choices.map(
    ({ text, value }) =>
      `<button type="submit" class="slack-button" name="${name}" value="${escapeHtml(value)}">${escapeHtml(text)}</button>`,
  );
  return unfold(action, form, pressForm(action, form, buttons.join("")));
}

function unfold({ actionId, label, type }: SlackAction, { hidden }: PressForm, inside: string): string {
  const id = escapeHtml(`press-${hidden["message"] ?? ""}-${actionId}`);
  const kind = type === "button" ? "" : " slack-select";
  return `<details class="slack-menu" id="${id}"><summary class="slack-button${kind}">${label}</summary>${inside}</details>`;
}

function pressForm(
  { blockId, actionId }: SlackAction,
  { action, hidden }: PressForm,
  inside: string,
): string {
  const fields = Object.entries({ ...hidden, block: blockId, action: actionId }).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form class="slack-action" method="post" action="${escapeHtml(action)}">${fields.join("")}${inside}</form>`;
}
