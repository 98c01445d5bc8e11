/* What is wrong with a draft on the face of it: said at once, without asking. The server has the last word and knows the
   rest: folders, programs, the port. Pure. */

export const OPEN_DRIVER = "acp"; // any agent that speaks ACP: it alone takes arguments

const AGENT_ID = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;
const RESERVED = new Set(["assistant", "__assistant__"]);
const LARGEST_PORT = 65_535;

/* Gives [{path, message, severity}], as POST /api/setup/check does; empty where the server is to be asked. */
export function faultsOf(draft) {
  const found = [];
  const fault = (path, message) => found.push({ path: `config.${path}`, message, severity: "error" });
  const filled = (path, value) => value.trim() !== "" || fault(path, gettext("Fill this in."));

  if (!Number.isInteger(draft.serverPort) || draft.serverPort < 1 || draft.serverPort > LARGEST_PORT) {
    fault("serverPort", gettext("A number from 1 to 65535."));
  }
  filled("storagePath", draft.storagePath);
  if (!draft.agents.some(({ enabled }) => enabled)) fault("agents", gettext("At least one agent has to be in the room."));
  const ids = new Set();
  draft.agents.forEach((agent, index) => {
    const path = `agents.${index}`;
    const words = idFault(agent.id, ids);
    if (words) fault(`${path}.id`, words);
    ids.add(agent.id);
    filled(`${path}.command`, programOf(agent.command));
    filled(`${path}.cwd`, agent.cwd);
  });
  if (draft.assistant) {
    filled("assistant.name", draft.assistant.name);
    filled("assistant.brain.command", programOf(draft.assistant.brain.command));
    filled("assistant.brain.cwd", draft.assistant.brain.cwd);
  }
  return found;
}

function idFault(id, taken) {
  if (id === "") return gettext("Fill this in.");
  if (RESERVED.has(id)) return gettext("This id is reserved for the assistant.");
  if (!AGENT_ID.test(id)) return gettext("Letters and digits, with . _ - inside; at most 64.");
  return taken.has(id) ? gettext("Another agent has this id already.") : null;
}

/* The program's own name or path. */
export const programOf = (command) => (typeof command === "string" ? command : command.executable);

/* The one script that an interpreter is given; empty for a program without. */
export const scriptOf = (command) => (typeof command === "string" ? "" : (command.prefixArgs?.[0] ?? ""));

export const commandOf = (program, script) => (script.trim() === "" ? program : { executable: program, prefixArgs: [script] });

/* An id as people would write it for this name; "agent" where nothing of it can be used. */
export function idFrom(name, taken) {
  const plain = name.normalize("NFKD").replace(/[^A-Za-z0-9._ -]/g, "").trim().toLowerCase().replace(/[ ]+/g, "-");
  const wanted = plain.replace(/^[^a-z0-9]+/, "").slice(0, 48).replace(/[^a-z0-9]+$/, "") || "agent";
  return free(wanted, (candidate) => taken.has(candidate) || RESERVED.has(candidate), "-");
}

/* The wanted words, or with the first number that makes them free. */
export function free(wanted, isTaken, separator) {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number += 1) {
    const candidate = `${wanted}${separator}${number}`;
    if (!isTaken(candidate)) return candidate;
  }
}
