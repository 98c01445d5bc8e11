/* How what happens to memory, identity and the context is said to a person. What was kept is not told: that stays with the record. */

/* What a person and agents write; summaries are the room's own. */
export const WRITTEN_KINDS = ["fact", "decision", "preference", "instruction", "constraint", "note"];

export function kindWords(kind) {
  return {
    fact: gettext("Fact"),
    decision: gettext("Decision"),
    preference: gettext("Preference"),
    instruction: gettext("Instruction"),
    constraint: gettext("Constraint"),
    note: gettext("Note"),
    summary: gettext("Summary"),
  }[kind] ?? kind;
}

export function memoryWords(type, body, namesOf) {
  if (body.agentMemoryType === "dated" && type !== "memory.retracted") return gettext("wrote down what is worth keeping of a day.");
  if (type === "memory.remembered") return rememberedWords(body.scope, namesOf);
  if (type === "memory.superseded") return gettext("replaced a memory by a new version.");
  if (type === "context.reset") return gettext("reset the context: agents’ later turns begin here.");
  if (type === "memory.retracted") return gettext("retracted a memory.");
  const said = {
    "identity.remembered": gettext("noted who %s is."),
    "identity.superseded": gettext("noted anew who %s is."),
    "identity.retracted": gettext("retracted a note on who %s is."),
  }[type];
  return said ? interpolate(said, [namesOf([body.subjectActorId])]) : null;
}

function rememberedWords(scope, namesOf) {
  if (scope.type === "room") return gettext("remembered something for the room.");
  if (scope.type === "agent") return interpolate(gettext("remembered something for %s alone."), [namesOf([scope.id])]);
  return gettext("remembered something for this conversation.");
}
