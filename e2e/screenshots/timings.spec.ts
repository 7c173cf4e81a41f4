/** What admins see of timings in the demo, which has two days of transfers. */
import { expect, test } from "./demo.ts";

/** The demo first sends its history. */
test.setTimeout(300_000);

test("timings and capacity", async ({ openDemo, picture }) => {
  const page = await openDemo("/admin/timings?range=1h");
  const panel = (title: string) => page.getByRole("region", { name: title });
  await page.setViewportSize({ width: 1280, height: 1420 });
  await expect(panel("Durations over time").getByRole("img")).toBeVisible();
  await picture(page, "timings");
  await expect(panel("Queue and peers").getByRole("img")).toBeVisible();
  await picture(page, "timings-queue", panel("Queue and peers"));

  await page.goto("/admin/timings?range=24h");
  const parts = [
    ["Where time goes", "timings-phases"],
    ["Modes compared", "timings-modes"],
    ["Every transfer", "timings-points"],
    ["Capacity", "capacity"],
  ] as const;
  // All of them first: what loads above a part moves it.
  for (const title of ["Durations over time", "Queue and peers", ...parts.map(([title]) => title)]) {
    await expect(panel(title).getByRole("status")).toBeHidden();
    await expect(panel(title).getByRole("link", { name: `CSV: ${title}` })).toBeVisible();
  }
  for (const [title, name] of parts) await picture(page, name, panel(title));
});
