/* The list of rooms of the file bus: times in the reader's own zone and words. */

const format = new Intl.DateTimeFormat(document.documentElement.lang || "en", { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll("time[data-local]")) {
  const date = new Date(time.dateTime);
  if (!Number.isNaN(date.getTime())) time.textContent = format.format(date);
}
