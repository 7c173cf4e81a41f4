/** The beginning of a day ("2026-11-21") in the reader's time zone; undefined if `day` is not a date. */
export function startOfDay(day: string | undefined): Date | undefined {
  if (!day || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const date = new Date(`${day}T00:00:00`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
