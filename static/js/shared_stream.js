/* One connection to the server for all tabs that show the same stream: browsers allow six in all.

   The tab that holds the lock leads: it reads the stream and passes every frame on. The others follow. When the leader
   is closed the browser gives its lock to the next tab, which goes on from its own place; what was told twice is known
   by seq and chunkIndex. Frames are numbered: a tab that has missed some (it was frozen, say) joins anew. A leader that
   does not answer loses its lock. Where the browser has no locks or channels, each tab has its own connection.

   On the channel, besides the leader's `frames` and `state`: `join` is answered with `welcome` (where the leader is) or,
   while it has no place yet, with `here`, as is `ping`; `leads` says that another tab reads from now on. */

const QUIET_MS = 20_000; // then a follower asks whether the leader is there
const ANSWER_MS = 5_000; // then it is not
const LOOK_MS = 2_000;
const TIMERS = {
  now: () => Date.now(),
  every(ms, look) {
    const timer = setInterval(look, ms);
    return () => clearInterval(timer);
  },
};

/* Nothing happens before join().

   name                 tabs with the same one share
   open(handlers)       this tab is to read, from its present place; gives {stop()}, as openStream does
   position()           the seq up to which this tab has everything
   snapshot()           what a tab must be given to join here, beside the log; null while this tab has no place
   onEvent, onState, onRefused    as openStream's
   onRejoined(given)    frames were missed: bring this tab to where `given` was made; may be async */
export function shareStream({
  name, open, position, snapshot, onEvent, onState, onRefused, onRejoined,
  Channel = globalThis.BroadcastChannel, locks = globalThis.navigator?.locks, timers = TIMERS,
}) {
  const me = Math.random().toString(36).slice(2);
  const isAlone = !Channel || !locks;
  const channel = isAlone ? null : new Channel(name);
  let isLeader = isAlone;
  let isRunning = false; // between run() and pause()
  let isHolding = true; // frames wait until this tab has its place
  let isBehind = false; // frames were missed while holding
  let round = 0; // raised by pause(): what was begun before is over
  let state = "connecting";
  let stream = null; // the leader's
  let outbox = [];
  let sent = 0; // batches
  let leader = null; // whom this tab follows
  let heard = 0; // batches of this leader
  let held = [];
  let joining = null; // {resolve}
  let heardAt = 0;
  let lookedAt = 0;
  let askedAt = null; // since when the leader owes an answer
  let queue = null;
  let giveBack = null; // the lock
  let stopLooking = null;
  let hasLeft = false;

  const post = (kind, more = {}) => channel?.postMessage({ kind, from: me, ...more });

  /* ---------------------------------------------------------------- leading */

  function takePart(steal = false) {
    queue?.abort();
    queue = new AbortController();
    let isGranted = false;
    const options = steal ? { steal: true } : { signal: queue.signal };
    const untilStolen = locks.request(name, options, () => {
      isGranted = true;
      lead();
      return new Promise((resolve) => {
        giveBack = resolve; // else the browser takes it back with the tab
      });
    });
    untilStolen.catch((error) => {
      if (error.name !== "AbortError") throw error;
      if (isGranted) loseLead();
    });
  }

  function lead() {
    isLeader = true;
    leader = null;
    askedAt = null;
    if (joining) endJoining(null);
    else if (isRunning && !isHolding) read();
  }

  function loseLead() {
    isLeader = false;
    stream?.stop();
    stream = null;
    takePart();
    if (isRunning) rejoin();
  }

  function read() {
    stream?.stop();
    sent = 0;
    post("leads", { seq: position(), state });
    stream = open({ onEvent: tell, onState: showState, onRefused });
  }

  function tell(frame) {
    if (hasLeft) return; // what else came with the frame for which it left
    if (channel) {
      if (outbox.length === 0) queueMicrotask(passOn);
      outbox.push(frame);
    }
    onEvent(frame);
  }

  function passOn() {
    if (outbox.length === 0) return; // it left meanwhile
    post("frames", { number: sent, frames: outbox });
    sent += 1;
    outbox = [];
  }

  function showState(now) {
    state = now;
    post("state", { state });
    onState(state);
  }

  function answer({ kind, from }) {
    const given = kind === "join" && isRunning && stream ? snapshot() : null;
    if (given) post("welcome", { to: from, number: sent, state, given });
    else post("here", { state: isRunning ? state : "waiting" });
  }

  /* ---------------------------------------------------------------- following */

  function hear({ data: message }) {
    if (message.kind === "join" || message.kind === "ping") {
      if (isLeader) answer(message);
      return;
    }
    if (isLeader) return; // of a tab that led before
    heardAt = timers.now();
    askedAt = null;
    if (message.kind === "leads") followAnother(message);
    else if (message.kind === "welcome" && message.to === me && joining) takeWelcome(message);
    else if (message.kind === "frames" && message.from === leader && !joining) takeFrames(message);
    else if (message.kind === "here" && joining) onState(message.state);
    else if (message.kind === "state" && message.from === leader) onState(message.state);
  }

  function followAnother({ from, seq, state: now }) {
    leader = from;
    heard = 0;
    if (joining) post("join");
    else if (isHolding) isBehind = true;
    else {
      onState(now);
      if (seq > position()) rejoin();
    }
  }

  function takeWelcome({ from, number, state: now, given }) {
    leader = from;
    heard = number;
    onState(now);
    endJoining(given);
  }

  function takeFrames({ number, frames }) {
    if (number !== heard) {
      if (isHolding) isBehind = true;
      else rejoin();
      return;
    }
    heard += 1;
    if (isHolding) held.push(...frames);
    else frames.forEach(onEvent);
  }

  function look() {
    if (isLeader || !(isRunning || joining)) {
      lookedAt = timers.now();
      return;
    }
    const now = timers.now();
    const wasAsleep = now - lookedAt > 3 * LOOK_MS; // what was said meanwhile is still to be heard
    lookedAt = now;
    if (askedAt !== null && now - askedAt > ANSWER_MS && !wasAsleep) {
      askedAt = null;
      takePart(true);
    } else if (wasAsleep || (askedAt === null && now - heardAt > QUIET_MS)) {
      askedAt = now;
      post(joining && wasAsleep ? "join" : "ping");
    }
  }

  /* ---------------------------------------------------------------- finding a place */

  /* Resolves to what the leader gives, or to null in the tab that leads. */
  function join() {
    if (isLeader) return Promise.resolve(null);
    held = [];
    isBehind = false;
    askedAt = timers.now();
    post("join");
    return new Promise((resolve) => {
      joining = { resolve };
    });
  }

  function endJoining(given) {
    const { resolve } = joining;
    joining = null;
    resolve(given);
  }

  async function rejoin() {
    if (isHolding) return;
    isHolding = true;
    const begun = round;
    const given = await join();
    if (given !== null && round === begun) await onRejoined(given);
    if (round === begun) goOn();
  }

  function goOn() {
    isHolding = false;
    const frames = held;
    held = [];
    frames.forEach(onEvent);
    if (!isRunning || isHolding) return; // one of the frames ended it
    if (isLeader) read();
    else if (isBehind) rejoin();
  }

  if (!isAlone) {
    channel.onmessage = hear;
    takePart();
    stopLooking = timers.every(LOOK_MS, look);
    globalThis.addEventListener?.("pageshow", comeBack);
  }

  function comeBack({ persisted }) {
    if (persisted && isRunning && !isLeader) rejoin(); // it was put away and heard nothing
  }

  return {
    /* Find a place: the leader's, or, with null, one of this tab's own. Frames after it wait for run(). */
    join,

    /* This tab has its place: read, or follow, from it on. */
    run() {
      isRunning = true;
      goOn();
    },

    /* This tab has no place any more: another snapshot follows. */
    pause() {
      round += 1;
      isRunning = false;
      isHolding = true;
      stream?.stop();
      stream = null;
    },

    /* This tab shows the stream no more, for good: the next one reads. A join() that waits is answered with null. */
    leave() {
      this.pause();
      if (joining) endJoining(null);
      stopLooking?.();
      globalThis.removeEventListener?.("pageshow", comeBack);
      queue?.abort();
      giveBack?.();
      if (channel) passOn(); // perhaps the very frame for which it leaves
      hasLeft = true;
      channel?.close();
    },

    get isLeader() {
      return isLeader;
    },
  };
}
