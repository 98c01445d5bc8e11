/* The room's live stream, read by fetch: comments count as signs of life, and every reconnect is a new URL with the
   cursor of that moment. (EventSource shows no comments and would repeat its old URL beside a newer Last-Event-ID,
   which the server refuses.) */

const STALE_MS = 40_000; // the server writes a comment every 15 s
const FIRST_BACKOFF_MS = 500;
const LAST_BACKOFF_MS = 5_000;

/* Keeps a stream open until stop().

   url()            the address for the next connection, with the present cursor
   onEvent(event)   one parsed frame: {type, data}; `type` is the SSE event name, "message" by default
   onState(state)   "connecting" | "open" | "waiting"
   onRefused()      the server does not take this address (4xx) */
export function openStream({ url, onEvent, onState, onRefused }) {
  let isStopped = false;
  let failures = 0;
  let abort = null;
  let wake = null;

  async function run() {
    while (!isStopped) {
      onState("connecting");
      const isRefused = await readOnce();
      if (isStopped) return;
      if (isRefused) {
        onRefused();
        return;
      }
      onState("waiting");
      await pause(backoffMs(failures));
      failures += 1;
    }
  }

  /* Resolves when this connection is over; true if the server refused the address. */
  async function readOnce() {
    abort = new AbortController();
    let staleTimer = setTimeout(() => abort.abort(), STALE_MS);
    try {
      const response = await fetch(url(), {
        headers: { Accept: "text/event-stream" },
        cache: "no-store",
        signal: abort.signal,
      });
      if (!response.ok) return response.status >= 400 && response.status < 500;
      onState("open");
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      const parse = frameParser(onEvent);
      for (;;) {
        const { done, value } = await reader.read();
        if (done || isStopped) return false;
        failures = 0;
        clearTimeout(staleTimer);
        staleTimer = setTimeout(() => abort.abort(), STALE_MS);
        parse(decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      if (error instanceof TypeError || error.name === "AbortError") return false; // no network, cut off, stale
      throw error;
    } finally {
      clearTimeout(staleTimer);
      abort.abort();
    }
  }

  function pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const tryNow = () => wake?.();
  globalThis.addEventListener?.("online", tryNow);
  run();

  return {
    tryNow,
    stop() {
      isStopped = true;
      abort?.abort();
      wake?.();
      globalThis.removeEventListener?.("online", tryNow);
    },
  };
}

/* Between half and the whole of 0.5, 1, 2, 4, 5 seconds: many tabs do not come back in the same moment. */
export function backoffMs(failures, random = Math.random) {
  const longest = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
  return longest / 2 + (random() * longest) / 2;
}

/* A function that takes text as it arrives, in pieces of any size, and tells each whole frame. Frames without data
   (comments, retry lines) are signs of life only. */
export function frameParser(onEvent) {
  let rest = "";
  let type = "message";
  let data = [];
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        if (data.length > 0) onEvent({ type, data: data.join("\n") });
        type = "message";
        data = [];
      } else if (line.startsWith("data:")) {
        data.push(line.slice(line[5] === " " ? 6 : 5));
      } else if (line.startsWith("event:")) {
        type = line.slice(6).trim();
      }
    }
  };
}
