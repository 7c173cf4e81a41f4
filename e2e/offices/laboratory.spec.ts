/** An admin of a gateway with a laboratory runs experiments, with the keyboard, and looks at what they found. */
import { officeWithLaboratory as test } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { expect } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const PATH = "/admin/laboratory";

test("an experiment runs in the background, another one waits, and a run can be stopped", async ({ people, open }) => {
  const page = await open(await people.admin(), PATH);
  const batching = page.getByRole("region", { name: "Batches under random arrivals" });
  const batchRsa = page.getByRole("region", { name: "Batch RSA" });
  await expect(batching.getByText("Not run since the gateway started.")).toBeVisible();
  await expectAccessible(page, BOTH);

  await test.step("stop one that is running", async () => {
    await batchRsa.getByRole("button", { name: "Run: Batch RSA" }).press("Enter");
    await expect(batchRsa.getByText(/Running, started/)).toBeVisible();
    await expect(batching.getByRole("button", { name: /^Run/ })).toBeDisabled();
    await batchRsa.getByRole("button", { name: "Stop: Batch RSA" }).press("Enter");
    await expect(batchRsa.getByText(/Stopped after/)).toBeVisible();
  });

  await test.step("see what another one found", async () => {
    await batching.getByRole("button", { name: /^Run/ }).press("Enter");
    await expect(batching.getByRole("img", { name: /Mean turnaround/ })).toBeVisible({ timeout: 90_000 });
    await expect(batching.getByText(/of 54 printed values are within/)).toBeVisible();
    await expectAccessible(page, BOTH);
    await batching.getByRole("button", { name: /^Table/ }).press("Enter");
    await expect(batching.getByRole("row", { name: /Batches of five 1 Turnaround, s 3.53/ })).toBeVisible();
    await expectAccessible(page, BOTH);
  });

  await test.step("on a phone the page fits, with all that was found", async () => {
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
  });
});

test("the quick form of TLS in several processes ends with charts and a table", async ({ people, open }) => {
  const page = await open(await people.admin(), PATH);
  const split = page.getByRole("region", { name: "TLS in several processes" });
  await split.getByRole("button", { name: /^Run/ }).press("Enter");
  const charts = split.getByRole("img", { name: /percent more than in one process, by size of the document/ });
  // It begins no further run after 45 seconds.
  await expect(charts.first()).toBeVisible({ timeout: 80_000 });
  await expect(split.getByText("with 100 clients at a time")).toBeVisible();
  for (const name of ["Session initiation", "Session resumption", "Processor time of the servers"])
    await expect(split.getByRole("img", { name: new RegExp(`^${name}: percent`) })).toBeVisible();
  await expectAccessible(page, BOTH);

  await split.getByRole("button", { name: /^Table/ }).press("Enter");
  // Of the thesis; ours differ from run to run.
  await expect(split.getByRole("row", { name: /^Session resumption, 200 KB \+120\.7 [+−]/ })).toBeVisible();
  await expectAccessible(page, BOTH);
  await page.setViewportSize(phone.viewport);
  await expectNoSidewaysScroll(page);
});
