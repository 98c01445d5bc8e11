// Tabs that share one stream, over channels and locks of our own: a scenario's name on stdin, what every tab saw on stdout.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { shareStream } = await import(pathToFileURL(process.argv[2]));
const settle = async (times = 30) => {
  for (let i = 0; i < times; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

// Time passes when a scenario says so.
let nowMs = 1_000_000;
const looks = [];

async function pass(seconds) {
  for (let i = 0; i < seconds; i += 1) {
    nowMs += 1_000;
    for (const { tab, look } of looks) if (!tab.isClosed && !tab.isFrozen) look();
    await settle();
  }
}

// A browser: channels deliver in order, in tasks of their own; a lock goes to who has waited longest.
const members = [];
const waiting = [];
let holder = null;

function channelOf(tab) {
  return class {
    constructor() {
      this.tab = tab;
      members.push(this);
    }

    close() {
      members.splice(members.indexOf(this), 1);
    }

    postMessage(message) {
      if (!members.includes(this)) throw new Error("the channel is closed");
      if (tab.isClosed) return;
      for (const other of members) {
        if (other === this || other.tab.isClosed || other.tab.loses) continue;
        const data = structuredClone(message);
        setImmediate(() => other.tab.isClosed || !members.includes(other) || other.onmessage({ data }));
      }
    }
  };
}

function grantNext() {
  while (holder === null && waiting.length > 0) {
    const next = waiting.shift();
    if (next.tab.isClosed || next.options.signal?.aborted) continue;
    holder = next;
    next.callback().then(() => {
      if (holder === next) holder = null;
      grantNext();
    });
  }
}

const abortError = () => Object.assign(new Error("gone"), { name: "AbortError" });

const locksOf = (tab) => ({
  request(name, options, callback) {
    return new Promise((resolve, reject) => {
      const asked = { tab, options, callback, reject };
      options.signal?.addEventListener("abort", () => reject(abortError()));
      if (options.steal) {
        holder?.reject(abortError());
        holder = null;
        waiting.unshift(asked);
      } else {
        waiting.push(asked);
      }
      setImmediate(grantNext);
    });
  },
});

// The server: a log, and the connections to it.
const log = [];
const connections = new Set();
let opened = 0;

function publish(count = 1) {
  for (let i = 0; i < count; i += 1) {
    log.push(log.length + 1);
    for (const connection of connections) connection.onEvent({ seq: log.length });
  }
}

function makeTab({ isOld = false } = {}) {
  const tab = { seqs: [], gaps: 0, states: [], isClosed: false, loses: false, isFrozen: false };
  const last = () => tab.seqs.at(-1) ?? 0;
  const stream = shareStream({
    name: "test",
    open({ onEvent, onState }) {
      const connection = { onEvent };
      opened += 1;
      connections.add(connection);
      tab.connection = connection;
      onState("open");
      for (const seq of log.slice(last())) onEvent({ seq });
      return { stop: () => connections.delete(connection) };
    },
    position: last,
    snapshot: () => ({ seq: last() }),
    onEvent({ seq }) {
      if (seq > last() + 1) tab.gaps += 1;
      if (seq > last()) tab.seqs.push(seq);
      if (seq === tab.leavesAt) tab.stream.leave();
    },
    onState: (state) => tab.states.push(state),
    onRefused() {},
    onRejoined({ seq }) {
      for (const missed of log.slice(last(), seq)) tab.seqs.push(missed);
    },
    Channel: isOld ? undefined : channelOf(tab),
    locks: isOld ? null : locksOf(tab),
    timers: {
      now: () => nowMs,
      every(ms, look) {
        const entry = { tab, look };
        looks.push(entry);
        return () => looks.splice(looks.indexOf(entry), 1);
      },
    },
  });
  tab.stream = stream;
  tab.enter = async () => {
    const given = await stream.join();
    tab.gave = given;
    tab.seqs = log.slice(); // the snapshot
    stream.run();
  };
  tab.close = () => {
    tab.isClosed = true;
    connections.delete(tab.connection);
    if (holder?.tab === tab) {
      holder = null;
      setImmediate(grantNext);
    }
  };
  return tab;
}

const scenarios = {
  async "eight tabs"(tabs) {
    publish(3);
    for (let i = 0; i < 8; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    publish(5);
  },
  async "the leader closes"(tabs) {
    for (let i = 0; i < 4; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    publish(2);
    tabs[0].close();
    publish(2); // while nobody reads
    await settle();
    publish(2);
  },
  async "a tab misses frames"(tabs) {
    for (let i = 0; i < 3; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    tabs[2].loses = true;
    publish(4);
    await settle();
    tabs[2].loses = false;
    publish(1);
  },
  async "a leader does not answer"(tabs) {
    for (let i = 0; i < 3; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    Object.assign(tabs[0], { loses: true, isFrozen: true });
    connections.delete(tabs[0].connection);
    publish(3);
    await pass(30);
    Object.assign(tabs[0], { loses: false, isFrozen: false });
    publish(2);
    await pass(30);
  },
  async "a leader without a place lets others wait"(tabs) {
    tabs.push(makeTab(), makeTab());
    const second = tabs[1].enter();
    await settle();
    publish(2);
    await pass(30);
    await tabs[0].enter();
    await second;
    await settle();
    publish(1);
  },
  async "the leader leaves"(tabs) {
    for (let i = 0; i < 3; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    publish(2);
    tabs[0].stream.leave();
    tabs[0].isClosed = true; // as a reader it is
    publish(2);
    await settle();
    publish(1);
  },
  async "the leader leaves at the last frame"(tabs) {
    for (let i = 0; i < 2; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    tabs[0].leavesAt = 2;
    const { onEvent } = tabs[0].connection;
    publish(2);
    onEvent({ seq: 3 }); // it came with the second
    tabs[0].isClosed = true; // as a reader it is
    await settle();
    publish(1);
  },
  async "a follower leaves, then the leader"(tabs) {
    for (let i = 0; i < 3; i += 1) tabs.push(makeTab());
    await Promise.all(tabs.map((tab) => tab.enter()));
    await settle();
    for (const index of [1, 0]) {
      tabs[index].stream.leave();
      tabs[index].isClosed = true;
      await settle();
    }
    publish(3);
    await pass(30);
  },
  async "all leave"(tabs) {
    tabs.push(makeTab(), makeTab());
    await tabs[0].enter();
    tabs[1].stream.join();
    for (const tab of tabs) tab.stream.leave();
    await settle();
    for (const tab of tabs) tab.isClosed = true;
  },
  async "a browser without locks"(tabs) {
    tabs.push(makeTab({ isOld: true }), makeTab({ isOld: true }));
    await Promise.all(tabs.map((tab) => tab.enter()));
    publish(3);
  },
};

const tabs = [];
await scenarios[JSON.parse(readFileSync(0, "utf8"))](tabs);
await settle();
const result = {
  log,
  connections: connections.size,
  opened,
  tabs: tabs.map(({ seqs, gaps, isClosed, states, stream, gave }) => ({ seqs, gaps, isClosed, isLeader: stream.isLeader, state: states.at(-1) ?? null, gave })),
};
process.stdout.write(JSON.stringify(result), () => process.exit(0));
