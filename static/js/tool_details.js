/* What a tool was given and gave, as plain text. Pure. */

export function isNothing(value) {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/* `name` and `value` of one field of a tool's details. Shapes we do not know are shown as JSON. */
export function detailText(name, value) {
  if (typeof value !== "object") return String(value);
  if (name === "locations" && Array.isArray(value) && value.every((place) => typeof place?.path === "string")) {
    return value.map(({ path, line }) => (line === undefined || line === null ? path : `${path}:${line}`)).join("\n");
  }
  if (name === "diff" && Array.isArray(value) && value.every((change) => typeof change?.path === "string")) {
    return value.map(changeText).join("\n\n");
  }
  if (isFlat(value)) return Object.entries(value).map(([key, item]) => `${key}: ${item}`).join("\n");
  return JSON.stringify(value, null, 2);
}

function changeText({ path, oldText, newText }) {
  return [path, ...marked("−", oldText), ...marked("+", newText)].join("\n");
}

function marked(mark, text) {
  if (typeof text !== "string" || text === "") return [];
  return text.replace(/\n$/, "").split("\n").map((line) => `${mark} ${line}`);
}

function isFlat(value) {
  return !Array.isArray(value) && Object.values(value).every((item) => ["string", "number", "boolean"].includes(typeof item));
}
