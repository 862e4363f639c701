/**
 * Adds to the charts of a page: the numbers of the column under the pointer, and a range by dragging, which leads to the
 * same page of that range. Without it every number is in the tables behind the charts.
 */

(() => {
  const tip = document.createElement("p");
  tip.className = "chart-tip";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  document.body.append(tip);
  let from = null;
  let dragged = false;

  const columnAt = (event) => {
    const svg = event.target.closest?.("svg.columns") ?? from?.parentNode;
    if (!svg) return null;
    const { left, width } = svg.getBoundingClientRect();
    const columns = svg.querySelectorAll("g[data-from]");
    const n = Math.floor(((event.clientX - left) / width) * columns.length);
    return columns[Math.min(columns.length - 1, Math.max(0, n))] ?? null;
  };

  const mark = (to) => {
    for (const one of document.querySelectorAll("g.is-chosen")) one.classList.remove("is-chosen");
    if (!from || !to) return;
    const columns = [...from.parentNode.querySelectorAll("g[data-from]")];
    const [a, b] = [columns.indexOf(from), columns.indexOf(to)].sort((x, y) => x - y);
    for (const one of columns.slice(a, b + 1)) one.classList.add("is-chosen");
  };

  document.addEventListener("pointermove", (event) => {
    const column = columnAt(event);
    tip.hidden = !column || event.pointerType === "touch";
    if (!column) return;
    // The browser's own hint would cover it.
    column.querySelector("title")?.remove();
    tip.textContent = column.dataset.text;
    const { width } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
    tip.style.top = `${event.clientY + 18}px`;
    if (from && column !== from) dragged = true;
    if (dragged) mark(column);
  });

  // A finger scrolls, and follows links.
  document.addEventListener("pointerdown", (event) => {
    if (
      event.pointerType === "touch" ||
      event.button !== 0 ||
      !event.target.closest?.("[data-drag] svg.columns")
    )
      return;
    from = columnAt(event);
    dragged = false;
    event.preventDefault();
  });
  document.addEventListener("dragstart", (event) => {
    if (from) event.preventDefault();
  });

  document.addEventListener("pointerup", (event) => {
    const to = from && columnAt(event);
    if (to && dragged) {
      const url = new URL(location.href);
      for (const name of ["last", "by", "part"]) url.searchParams.delete(name);
      const moments = [from, to].flatMap(({ dataset }) => [Number(dataset.from), Number(dataset.to)]);
      url.searchParams.set("from", String(Math.min(...moments)));
      url.searchParams.set("to", String(Math.max(...moments)));
      location.assign(url);
    }
    from = null;
    mark(null);
  });
  document.addEventListener(
    "click",
    (event) => {
      // The end of a drag is no click on the column below it.
      if (dragged) event.preventDefault();
      dragged = false;
    },
    true,
  );
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    from = null;
    dragged = false;
    tip.hidden = true;
    mark(null);
  });
})();
