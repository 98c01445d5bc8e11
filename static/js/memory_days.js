/* Dated memory: one record for a day, the newest day first. Pure. */

import { dayKey } from "./words.js";

/* "2026-11-30": the day that a record is of, else that on which it was written, in the reader's zone. */
export const dayOfRecord = ({ day, createdAt }) => day ?? dayKey(createdAt);

export function newestDayFirst(records) {
  return records.toSorted((a, b) => (dayOfRecord(a) < dayOfRecord(b) ? 1 : dayOfRecord(a) > dayOfRecord(b) ? -1 : 0));
}
