import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { FactorsShown } from "@/api/factors";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { SecondFactorSection } from "./SecondFactorSection";

const NONE: FactorsShown = { passkeys: [], app: null, recovery_codes_left: 0, required: false, passkeys_here: false };
const APP = { added_at: "2026-11-20T10:00:00Z", last_used_at: null };
const METHODS = { password: true, passkey: false, app: false, recovery_code: false };
const CODES = ["aaaa-bbbb-cccc-dddd", "eeee-ffff-gggg-hhhh"];
const SESSION = { "GET /api/v1/session": json(sessionOf(somebody())) };

it("adds an authenticator app after a confirmation, and shows the recovery codes once", async () => {
  let factors = NONE;
  let confirmed = false;
  const { asked } = fakeGateway({
    ...SESSION,
    "GET /api/v1/factors": () => json(factors),
    "GET /api/v1/session/confirmation": () => json({ confirmed, methods: METHODS }),
    "POST /api/v1/session/confirmation": ({ body }) => {
      confirmed = JSON.parse(body).password === "a good password";
      return confirmed ? empty() : refused(403, "this password is wrong; try again");
    },
    "POST /api/v1/factors/app": () => json({ secret: "ABCDEFGH", address: "otpauth://", qr: ["101", "010", "111"] }),
    "POST /api/v1/factors/app/confirmation": ({ body }) => {
      if (JSON.parse(body).code !== "123456") return refused(422, "this code is wrong");
      factors = { ...NONE, app: APP, recovery_codes_left: 2 };
      return json({ recovery_codes: CODES });
    },
  });
  const user = userEvent.setup();
  renderSignedIn(<SecondFactorSection />);
  await screen.findByText("You have no second factor yet.");
  expect(screen.queryByRole("button", { name: "Add a passkey" })).toBeNull();

  await user.click(await screen.findByRole("button", { name: "Use an authenticator app" }));
  const confirmation = await screen.findByRole("dialog", { name: "Confirm that it is you" });
  await user.type(within(confirmation).getByLabelText("Password"), "wrong{Enter}");
  expect((await within(confirmation).findByRole("alert")).textContent).toContain("This password is wrong");
  await user.type(within(confirmation).getByLabelText("Password"), "a good password{Enter}");

  const dialog = await screen.findByRole("dialog", { name: "Use an authenticator app" });
  await within(dialog).findByRole("img", { name: "QR code for your authenticator app" });
  within(dialog).getByText("ABCD EFGH");
  await user.type(within(dialog).getByLabelText("Code from your authenticator app"), "000000{Enter}");
  await within(dialog).findByRole("alert");
  await user.type(within(dialog).getByLabelText("Code from your authenticator app"), "123456{Enter}");

  const codes = await screen.findByRole("list", { name: "Recovery codes" });
  expect(
    within(codes)
      .getAllByRole("listitem")
      .map((item) => item.textContent),
  ).toEqual(CODES);
  await user.click(screen.getByRole("button", { name: "I have saved them" }));
  await waitFor(() => expect(screen.queryByText(CODES[0] as string)).toBeNull());
  await screen.findByText("2 unused codes left");
  expect(asked.filter((one) => one.path === "/api/v1/factors/app")).toHaveLength(1);
});

it("removes a passkey, and says why the last one stays", async () => {
  const passkey = {
    id: "p1",
    name: "Laptop",
    relying_party: "localhost",
    created_at: "2026-11-20T10:00:00Z",
    last_used_at: null,
  };
  let factors: FactorsShown = { ...NONE, passkeys: [passkey], app: APP, recovery_codes_left: 10 };
  fakeGateway({
    ...SESSION,
    "GET /api/v1/factors": () => json(factors),
    "GET /api/v1/session/confirmation": json({ confirmed: true, methods: METHODS }),
    "DELETE /api/v1/factors/passkeys/p1": () => {
      factors = { ...factors, passkeys: [] };
      return empty();
    },
    "DELETE /api/v1/factors/app": refused(409, "this gateway requires a second factor of you"),
  });
  const user = userEvent.setup();
  renderSignedIn(<SecondFactorSection />);
  await user.click(await screen.findByRole("button", { name: "Remove Laptop" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Remove “Laptop”?" });
  await user.click(within(dialog).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(screen.queryByText("Passkey for localhost", { exact: false })).toBeNull());

  await user.click(screen.getByRole("button", { name: "Remove Authenticator app" }));
  const last = await screen.findByRole("alertdialog", { name: "Remove “Authenticator app”?" });
  await user.click(within(last).getByRole("button", { name: "Remove" }));
  expect((await within(last).findByRole("alert")).textContent).toContain("requires a second factor");
});
