/* Named fields of a form, each with a line below it: a hint, or what is wrong with the field. The line is always there, so
   that nothing moves when its words change. */

let made = 0; // notes, for names that are unique in the page

/* root: the element that holds them; onInput(name): somebody changed one. */
export function createFields(root, onInput) {
  const fields = new Map();
  for (const box of root.querySelectorAll("[data-field]")) {
    const control = box.querySelector("input, textarea, select");
    const note = box.querySelector("[data-note]");
    if (note) {
      note.id = `note-${(made += 1)}`;
      control.setAttribute("aria-describedby", note.id);
    }
    const name = box.dataset.field;
    fields.set(name, { box, control, note, hint: note?.textContent ?? "", problem: null });
    control.addEventListener("input", () => onInput(name));
  }

  function draw({ control, note, hint, problem }) {
    const words = problem?.message ?? hint;
    if (note.textContent !== words) note.textContent = words;
    if (problem) note.dataset.tone = problem.severity === "error" ? "bad" : "warn";
    else delete note.dataset.tone;
    if (problem?.severity === "error") control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }

  return {
    has: (name) => fields.has(name) && fields.get(name).note !== null,
    get: (name) => (fields.get(name).control.type === "checkbox" ? fields.get(name).control.checked : fields.get(name).control.value),

    set(name, value) {
      const { control } = fields.get(name);
      if (control.type === "checkbox") control.checked = value;
      else if (control.value !== value) control.value = value;
    },

    setHint(name, words) {
      const field = fields.get(name);
      field.hint = words;
      draw(field);
    },

    show(name, isShown) {
      fields.get(name).box.hidden = !isShown;
    },

    /* problems: Map of field name -> {message, severity}; the others have none. */
    say(problems) {
      for (const [name, field] of fields) {
        if (field.note === null) continue;
        field.problem = problems.get(name) ?? null;
        draw(field);
      }
    },

    control: (name) => fields.get(name).control,
  };
}
