/**
 * Adds to htmx and its extension what they lack. It leaves unchanged content alone, so that a screen reader reads only
 * news; keeps details open when the part around them is replaced; says when the stream is lost; and closes the stream
 * while the page is hidden: a browser opens six connections per host, and a seventh tab would wait for ever.
 */

(() => {
  const state = (text, kind) => {
    const live = document.getElementById("live");
    if (!live || live.textContent === text) return;
    live.textContent = text;
    live.className = `live ${kind}`;
  };

  // The extension creates its source once; this one stays, and opens and closes its connection.
  htmx.createEventSource = (address) => {
    const listeners = [];
    let inner = null;
    let lastId = "";
    const stable = {
      onopen: null,
      onerror: null,
      readyState: 0,
      addEventListener(name, listener) {
        listeners.push([name, listener]);
        inner?.addEventListener(name, listener);
      },
      removeEventListener(name, listener) {
        inner?.removeEventListener(name, listener);
      },
      close() {
        disconnect();
        document.removeEventListener("visibilitychange", follow);
        stable.readyState = 2;
      },
    };
    const remember = (event) => {
      if (event.lastEventId) lastId = event.lastEventId;
    };
    const connect = () => {
      const url = new URL(address, location.href);
      if (lastId) url.searchParams.set("since", lastId);
      inner = new EventSource(url);
      for (const part of [
        "mentions",
        "counts",
        "volume",
        "alerts",
        "notifications",
        "inbox",
        "coverage",
        "feeds",
      ]) {
        inner.addEventListener(part, remember);
      }
      for (const [name, listener] of listeners) inner.addEventListener(name, listener);
      inner.onopen = (event) => {
        state("Live", "is-on");
        stable.onopen?.(event);
      };
      const own = inner;
      inner.onerror = () => {
        state("Connection lost, trying again", "is-lost");
        // The browser does not retry a refused stream by itself.
        if (own.readyState !== 2) return;
        inner = null;
        setTimeout(() => {
          if (!inner && !document.hidden && stable.readyState !== 2) connect();
        }, 3000);
      };
    };
    const disconnect = () => {
      inner?.close();
      inner = null;
    };
    let waiting;
    const follow = () => {
      clearTimeout(waiting);
      if (!document.hidden) {
        if (!inner) connect();
      } else {
        waiting = setTimeout(disconnect, 5000);
      }
    };
    document.addEventListener("visibilitychange", follow);
    if (document.hidden) follow();
    else connect();
    return stable;
  };

  // Nothing moves under a finger, or under a mouse on its way: what comes meanwhile is shown a moment later.
  const HOLD_MS = 600;
  let isDown = false;
  let usedAt = Number.NEGATIVE_INFINITY;
  let pointed = null;
  const use = ({ type, target }) => {
    isDown = type === "pointerdown" || (isDown && type === "pointermove");
    usedAt = performance.now();
    pointed = target;
  };
  for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
    document.addEventListener(name, use, { capture: true, passive: true });
  const isInUse = (part) => part.contains(pointed) && (isDown || performance.now() - usedAt < HOLD_MS);

  /** Of a part that is scrolled past: the first thing in sight, and where it is. */
  const inSight = (part) => {
    if (part.getBoundingClientRect().top >= 0) return null;
    for (const one of part.querySelectorAll("[id]")) {
      const { top } = one.getBoundingClientRect();
      if (top >= 0) return { id: one.id, top };
    }
    return null;
  };
  const anchors = new WeakMap();

  const shown = new WeakMap();
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr, requestConfig } = event.detail;
    const news = requestConfig?.triggeringEvent?.type ?? "";
    if (news.startsWith("sse:") && isInUse(target)) {
      event.detail.shouldSwap = false;
      setTimeout(() => target.isConnected && htmx.trigger(target, news), HOLD_MS);
      return;
    }
    if (shown.get(target) === xhr.responseText) {
      event.detail.shouldSwap = false;
      return;
    }
    shown.set(target, xhr.responseText);
    const open = [...target.querySelectorAll("details[open][id]")].map((one) => one.id);
    target.dataset.open = open.join(" ");
    anchors.set(target, inSight(target));
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    // The clock comes with its event, without a request: it has no target and no details.
    const folded = event.detail.target?.dataset.open;
    for (const id of (folded || "").split(" ")) {
      const one = id && document.getElementById(id);
      if (one) one.open = true;
    }
    // Whoever reads further down goes on reading there.
    const anchor = event.detail.target && anchors.get(event.detail.target);
    const found = anchor && document.getElementById(anchor.id);
    if (found) window.scrollBy(0, found.getBoundingClientRect().top - anchor.top);
  });
  const waiting = new WeakSet();
  document.addEventListener("htmx:responseError", (event) => {
    const { elt, requestConfig, xhr } = event.detail;
    // A reader whose session has ended goes to the login, instead of seeing a page that only seems live.
    if (xhr.status === 401) location.reload();
    // Too many readers: the stream reports a change once, so the part asks again. Not all readers at the same time.
    const news = requestConfig.triggeringEvent?.type ?? "";
    if (xhr.status !== 503 || !news.startsWith("sse:") || waiting.has(elt)) return;
    waiting.add(elt);
    setTimeout(
      () => {
        waiting.delete(elt);
        if (elt.isConnected) htmx.trigger(elt, news);
      },
      5000 * (1 + Math.random()),
    );
  });
})();
