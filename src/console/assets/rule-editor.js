/**
 * The editor of a rule. It shows the fields that fit the chosen kind of alert, numbers the lines of the YAML and marks
 * those with faults, and suggests keys and values by keyboard. Without it, everything else works.
 */

(() => {
  const form = document.getElementById("rule-form");
  if (!form) return;

  const counts = form.elements.namedItem("counts");
  const showFields = () => {
    for (const part of form.querySelectorAll("[data-counts]"))
      part.hidden = !part.dataset.counts.split(" ").includes(counts.value);
  };
  if (counts) {
    counts.addEventListener("change", showFields);
    showFields();
  }

  // Enter in a field would load the whole page again; the result is up to date by itself.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.tagName === "INPUT" && event.target.type !== "checkbox")
      event.preventDefault();
  });

  const text = document.getElementById("text");
  if (!text) return;
  const editor = text.closest(".editor");
  const gutter = document.createElement("div");
  gutter.className = "gutter";
  gutter.setAttribute("aria-hidden", "true");
  editor.prepend(gutter);
  const faultyLines = () =>
    new Set([...document.querySelectorAll("#result [data-line]")].map((one) => Number(one.dataset.line)));
  const number = () => {
    const faulty = faultyLines();
    const lines = text.value.split("\n").length;
    gutter.replaceChildren(
      ...Array.from({ length: lines }, (_, index) => {
        const line = document.createElement("span");
        line.textContent = index + 1;
        if (faulty.has(index + 1)) line.className = "is-faulty";
        return line;
      }),
    );
    text.rows = Math.max(12, lines + 1);
    text.setAttribute("aria-invalid", faulty.size > 0 ? "true" : "false");
  };
  text.addEventListener("input", number);
  document.addEventListener("htmx:afterSwap", number);
  number();

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-line]");
    if (!link) return;
    event.preventDefault();
    const before = text.value.split("\n").slice(0, link.dataset.line - 1);
    const at = before.join("\n").length + (before.length > 0 ? 1 : 0) + Number(link.dataset.column) - 1;
    text.focus();
    text.setSelectionRange(at, at);
  });

  /* Suggestions: a list box below the text, as in a combo box. */
  let places = null;
  fetch(editor.dataset.completions, { headers: { accept: "application/json" } })
    .then((answer) => (answer.ok ? answer.json() : null))
    .then((read) => {
      places = read;
    })
    .catch(() => {});
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.id = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  editor.append(list);
  const count = document.createElement("span");
  count.className = "unseen";
  count.setAttribute("role", "status");
  editor.append(count);
  text.setAttribute("aria-autocomplete", "list");
  text.setAttribute("aria-controls", list.id);
  let offered = [];
  let chosen = -1;

  /** The keys around a line, by their indentation: of a line below `spike:`, `["spike"]`. */
  const keysAround = (lines, index, indent) => {
    const keys = [];
    let least = indent;
    for (let at = index - 1; at >= 0 && least > 0; at--) {
      const found = /^(\s*(?:- +)*)([\w-]+):/.exec(lines[at]);
      if (!found || /^\s*#/.test(lines[at]) || found[1].length >= least) continue;
      least = found[1].length;
      keys.unshift(found[2]);
    }
    return keys;
  };

  /** The place of keys → the keys that may stand there; null if the place is not known. */
  const keysAt = (path) => {
    let place = "rule";
    for (const key of path) {
      const known = places[place]?.find((one) => one.key === key);
      if (!known) return null;
      place = known.into ?? "";
    }
    return places[place] ?? null;
  };

  /** What is typed at the caret, and what could stand there. */
  const findOffers = () => {
    const none = { offers: [], typed: "" };
    if (!places || text.selectionStart !== text.selectionEnd) return none;
    const lines = text.value.slice(0, text.selectionStart).split("\n");
    const index = lines.length - 1;
    let line = lines[index];
    if (/^\s*#/.test(line) || /^\S/.test(text.value.slice(text.selectionStart))) return none;
    const lead = /^\s*(?:- +)*/.exec(line)[0];
    const path = keysAround(lines, index, lead.length);
    line = line.slice(lead.length);
    // Inside of braces on one line: `volume: { atLeast: 5, wi`.
    for (let inner = /^([\w-]+): *\{(.*)$/.exec(line); inner; inner = /^([\w-]+): *\{(.*)$/.exec(line)) {
      if (inner[2].includes("}")) return none;
      path.push(inner[1]);
      line = inner[2].replace(/^.*,/, "").trimStart();
    }
    const value = /^([\w-]+): +\[?(?:[^\],]*, *)*([^\],]*)$/.exec(line);
    if (value) {
      const known = keysAt(path)?.find((one) => one.key === value[1]);
      const words = (known?.values ?? []).filter((one) => one.startsWith(value[2]) && one !== value[2]);
      return { typed: value[2], offers: words.map((word) => ({ insert: word, label: word, about: "" })) };
    }
    if (!/^[\w-]*$/.test(line)) return none;
    // An item of a list of values, such as a severity step, has no keys.
    const keys = (keysAt(path) ?? []).filter((one) => one.key.startsWith(line) && one.key !== line);
    return {
      typed: line,
      offers: keys.map((one) => ({ insert: `${one.key}: `, label: one.key, about: one.about })),
    };
  };

  const close = () => {
    offered = [];
    chosen = -1;
    list.hidden = true;
    text.removeAttribute("aria-activedescendant");
  };
  const choose = (index) => {
    chosen = (index + offered.length) % offered.length;
    for (const [at, one] of [...list.children].entries())
      one.setAttribute("aria-selected", String(at === chosen));
    const item = list.children[chosen];
    text.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  };
  const take = (index) => {
    const { insert } = offered[index].offer;
    const { typed } = offered[index];
    close();
    // Keeps the browser's undo, where it can.
    text.focus();
    text.setSelectionRange(text.selectionStart - typed.length, text.selectionStart);
    if (!document.execCommand("insertText", false, insert)) {
      text.setRangeText(insert, text.selectionStart, text.selectionEnd, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  const offer = (always) => {
    const { offers, typed } = findOffers();
    if (offers.length === 0 || (typed === "" && !always)) return close();
    offered = offers.map((one) => ({ offer: one, typed }));
    chosen = -1;
    list.replaceChildren(
      ...offers.map(({ label, about }, index) => {
        const item = document.createElement("li");
        item.id = `suggestion-${index}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        const word = document.createElement("code");
        word.textContent = label;
        item.append(word, ` ${about}`);
        // Not click: the text would lose the focus before.
        item.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(index);
        });
        return item;
      }),
    );
    const line = text.value.slice(0, text.selectionStart).split("\n").length;
    const height = Number.parseFloat(getComputedStyle(text).lineHeight);
    list.style.top = `${text.offsetTop + line * height + 10 - text.scrollTop}px`;
    list.hidden = false;
    count.textContent = `${offers.length} suggestions`;
  };
  text.addEventListener("input", () => offer(/: $/.test(text.value.slice(0, text.selectionStart))));
  text.addEventListener("blur", close);
  text.addEventListener("click", close);
  text.addEventListener("keydown", (event) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      return offer(true);
    }
    if (list.hidden) return;
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
    else if (event.key === "Enter" && chosen >= 0) take(chosen);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
})();
