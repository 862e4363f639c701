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
      for (const part of ["mentions", "volume", "alerts", "notifications", "inbox", "coverage"]) {
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

  const shown = new WeakMap();
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr } = event.detail;
    if (shown.get(target) === xhr.responseText) {
      event.detail.shouldSwap = false;
      return;
    }
    shown.set(target, xhr.responseText);
    const open = [...target.querySelectorAll("details[open][id]")].map((one) => one.id);
    target.dataset.open = open.join(" ");
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    // The clock comes with its event, without a request: it has no target and no details.
    const folded = event.detail.target?.dataset.open;
    for (const id of (folded || "").split(" ")) {
      const one = id && document.getElementById(id);
      if (one) one.open = true;
    }
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
