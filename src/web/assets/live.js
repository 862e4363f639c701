/**
 * What htmx and its extension leave open, as a script of ours. It leaves alone what is the same as before, so that a
 * screen reader tells news only, keeps folded-out details open when the stretch around them is drawn anew, says when
 * the stream is lost, and lets go of the stream while the page is hidden: a browser gives one host six connections,
 * and the seventh tab of somebody comparing alerts would wait for ever.
 */

(() => {
  const state = (text, kind) => {
    const live = document.getElementById("live");
    if (!live || live.textContent === text) return;
    live.textContent = text;
    live.className = `live ${kind}`;
  };

  // The extension asks for a source once; this one stays, and opens and closes the connection behind it.
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
        // A refused stream is not tried again by the browser itself.
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
    // The clock comes with its event and without a request: it has no target, and nothing to fold out.
    const folded = event.detail.target?.dataset.open;
    for (const id of (folded || "").split(" ")) {
      const one = id && document.getElementById(id);
      if (one) one.open = true;
    }
  });
  // Whoever is logged out meanwhile is sent to the login instead of looking at a page that only seems to live.
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status === 401) location.reload();
  });
})();
