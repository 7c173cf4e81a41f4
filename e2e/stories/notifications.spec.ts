/** The browser notifies somebody who asked for it, while no tab of the gateway is in view. */
import { expectToFitPhone } from "../fixtures/page-checks.ts";
import { makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

/**
 * Keeps what the page notifies of. The browser without windows shows none, its pages are always in view, and its headless
 * shell denies the permission that a test grants.
 */
const WATCH = `
  window.notified = [];
  window.Notification = class extends Notification {
    static permission = "granted";
    constructor(title, options) {
      super(title, options);
      this.addEventListener("show", () => window.notified.push({ title, body: options.body, shown: true }));
      window.notified.push({ title, body: options.body });
      window.lastNotification = this;
    }
  };
  window.setView = (state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
  };
`;

test("a notification names the sender, and leads to the document", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(bruno, "/account");
  await page.context().grantPermissions(["notifications"]);
  await page.addInitScript(WATCH);
  await page.reload();
  await page.getByRole("radio", { name: "Show the sender A notification" }).click();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expectToFitPhone(page);
  const notified = () => page.evaluate("window.notified.map(({ title, body }) => [title, body])");

  await page.evaluate('window.setView("hidden")');
  await send(anna, await makeDraft(anna, "berths.txt", "Berth <$S>three<$E>."), bruno);
  await expect.poll(notified).toContainEqual(["New document", `From ${anna.displayName} at alpha`]);
  await page.evaluate('window.setView("visible"); window.lastNotification.onclick()');
  await expect(page.getByRole("article", { name: "berths.txt" })).toHaveText("Berth three.");
});
