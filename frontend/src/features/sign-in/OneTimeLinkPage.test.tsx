import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { watchLinkCode } from "@/session/link-code";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

function open(code: string) {
  window.history.replaceState(null, "", `/welcome#${code}`);
  watchLinkCode();
  renderApp("/welcome");
}

it("requires a password that follows the rules, and shows why it was refused", async () => {
  const gateway = fakeGateway({
    "GET /api/v1/session": json(sessionOf(null)),
    "POST /api/v1/welcome/look": json({ name: "rosa", display_name: "Rosa" }),
    "POST /api/v1/welcome": refused(422, "body.password: at least 12 characters"),
  });
  const user = userEvent.setup();
  open("good");
  await screen.findByRole("heading", { level: 1, name: "Welcome, Rosa" });
  expect(window.location.href).not.toContain("good");
  const set = screen.getByRole("button", { name: "Set password and sign in" });
  expect(set).toHaveProperty("disabled", true);
  await user.type(screen.getByLabelText("New password"), "too short");
  expect(set).toHaveProperty("disabled", true);
  await user.type(screen.getByLabelText("New password"), ", not any more");
  expect(set).toHaveProperty("disabled", false);
  await user.click(set);
  await screen.findByRole("alert");
  expect(JSON.parse(gateway.asked.at(-1)?.body ?? "")).toEqual({ code: "good", password: "too short, not any more" });
});

it("says that a link no longer works", async () => {
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(null)),
    "POST /api/v1/welcome/look": refused(404, "this link was used, or is too old"),
  });
  open("old");
  await screen.findByRole("heading", { level: 1, name: "This link does not work" });
  expect(screen.getByRole("alert").textContent).toBe("This link was used, or is too old.");
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

it("tells the signed-in person that this signs them out", async () => {
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody())),
    "POST /api/v1/welcome/look": json({ name: "rosa", display_name: "Rosa" }),
  });
  vi.spyOn(window.history, "replaceState");
  open("good");
  await screen.findByText(/Ada is signed in in this browser/);
});
