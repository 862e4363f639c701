/**
 * Brings the list of mentions, or of alerts, to life for whoever works on it: a current row that keys move, boxes that stay
 * chosen while the list is replaced, and a bar that shows while something is chosen. Without it, boxes and buttons do the
 * same. The bar says in `data-keys` which key presses which of its buttons.
 */

(() => {
  const form = document.getElementById("work");
  const list = document.getElementById("part-work-list");
  const ROW = "li[tabindex]";
  if (!form || !list) return;
  const count = document.getElementById("chosen");
  const none = document.getElementById("choose-none");
  const help = document.getElementById("keys");
  const openKeys = document.getElementById("open-keys");
  openKeys.hidden = false;
  openKeys.addEventListener("click", () => help.showModal());
  const items = () => [...list.querySelectorAll(ROW)];
  const boxOf = (item) => item.querySelector("input[type=checkbox]");
  const chosen = () => items().filter((item) => boxOf(item).checked);
  const currentItem = () => document.activeElement?.closest?.(`#part-work-list ${ROW}`) ?? null;

  const show = () => {
    const number = chosen().length;
    form.classList.toggle("is-idle", number === 0);
    none.hidden = number === 0;
    count.textContent = number === 0 ? "" : `${number} chosen`;
  };
  form.classList.add("is-alive");
  show();

  // The name of a reader without a login is kept in this browser.
  const remembered = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const remember = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {}
  };
  const name = document.getElementById("your-name");
  if (name) {
    name.value ||= remembered("earshot-name") ?? "";
    name.addEventListener("change", () => remember("earshot-name", name.value));
  }
  const keysOn = document.getElementById("keys-on");
  keysOn.checked = remembered("earshot-keys") !== "off";
  keysOn.addEventListener("change", () => remember("earshot-keys", keysOn.checked ? "on" : "off"));

  let last = null;
  const choose = (item, isChosen, isRange) => {
    const all = items();
    const from = isRange ? all.findIndex(({ id }) => id === last) : -1;
    const to = all.indexOf(item);
    const those = from < 0 ? [item] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const one of those) boxOf(one).checked = isChosen;
    last = item.id;
    show();
  };
  list.addEventListener("click", (event) => {
    if (event.target.type === "checkbox")
      choose(event.target.closest("li"), event.target.checked, event.shiftKey);
  });
  const chooseNone = () => {
    for (const item of items()) boxOf(item).checked = false;
    show();
  };
  none.addEventListener("click", chooseNone);

  // What is replaced keeps what was chosen, and the place of the reader.
  let kept = { chosen: [], current: null, after: [] };
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr } = event.detail;
    if (target.id === "work-notice" && (xhr.status === 400 || xhr.status === 409))
      event.detail.shouldSwap = true;
    if (target !== list) return;
    const current = currentItem();
    kept = {
      chosen: chosen().map(({ id }) => id),
      current: current?.id ?? null,
      after: current
        ? items()
            .slice(items().indexOf(current) + 1)
            .map(({ id }) => id)
        : [],
    };
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target !== list) return;
    for (const item of items()) if (kept.chosen.includes(item.id)) boxOf(item).checked = true;
    // A row that left the list makes room for the next one.
    const place = [kept.current, ...kept.after].find((id) => id && document.getElementById(id));
    if (place && (!document.activeElement || document.activeElement === document.body))
      document.getElementById(place).focus();
    show();
  });
  document.body.addEventListener("worked", () => {
    chooseNone();
    for (const field of form.querySelectorAll("input[name=to], input[name=tag]")) field.value = "";
  });

  /** Presses a button of the bar, for the chosen mentions or the current one. */
  const press = (what) => {
    const current = currentItem();
    if (chosen().length === 0) {
      if (!current) return;
      choose(current, true, false);
    }
    if (what === "assign-me" && name && name.value.trim() === "") return name.focus();
    form.querySelector(`button[value=${what}]`).click();
  };
  const move = (step) => {
    const all = items();
    const at = all.indexOf(currentItem());
    const next = at < 0 ? all[step > 0 ? 0 : all.length - 1] : all[at + step];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const KEYS = {
    j: () => move(1),
    k: () => move(-1),
    x: () => currentItem() && choose(currentItem(), !boxOf(currentItem()).checked, false),
    X: () => currentItem() && choose(currentItem(), true, true),
    u: () => document.getElementById("undo")?.click(),
    "?": () => help.showModal(),
  };
  const own = form.dataset.keys.split(" ");
  for (let at = 0; at < own.length; at += 2) KEYS[own[at]] = () => press(own[at + 1]);
  const isField = (target) =>
    target.isContentEditable ||
    ["TEXTAREA", "SELECT"].includes(target.tagName) ||
    (target.tagName === "INPUT" && target.type !== "checkbox");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isField(event.target)) return;
    if (help.open || (!keysOn.checked && event.key !== "?")) return;
    if (event.key === "Enter" && event.target.matches(ROW)) {
      event.target.querySelector('h3 a, a[href^="/why"]').click();
      return;
    }
    const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });
})();
