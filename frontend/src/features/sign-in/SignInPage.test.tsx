import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

it("signs in and returns to the requested page", async () => {
  let person: ReturnType<typeof somebody> | null = null;
  fakeGateway({
    "GET /api/v1/session": () => json(sessionOf(person)),
    "POST /api/v1/session": ({ body }) => {
      if (JSON.parse(body).password !== "a good password") return refused(401, "the login or the password is wrong");
      person = somebody();
      return json(sessionOf(person));
    },
    "GET /api/v1/tokens": json([]),
  });
  const user = userEvent.setup();
  renderApp("/account");
  await screen.findByRole("heading", { level: 1, name: "Sign in" });
  expect(new URLSearchParams(window.location.search).get("to")).toBe("/account");

  await user.type(screen.getByLabelText("Login"), "ada");
  await user.type(screen.getByLabelText("Password"), "wrong{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("The login or the password is wrong.");
  expect(screen.getByLabelText("Password")).toHaveProperty("value", "");

  await user.type(screen.getByLabelText("Password"), "a good password{Enter}");
  await screen.findByRole("heading", { level: 1, name: "Ada" });
  expect(window.location.pathname).toBe("/account");
});

it("names the command where there is no administrator yet", async () => {
  fakeGateway({ "GET /api/v1/session": json({ gateway: "alpha", needs_admin: true, person: null }) });
  renderApp("/");
  await screen.findByText("sieve admin create");
  expect(screen.queryByLabelText("Password")).toBeNull();
});

it("keeps people out of pages that are not for their role", async () => {
  fakeGateway({ "GET /api/v1/session": json(sessionOf(somebody())) });
  renderApp("/admin/people");
  await screen.findByRole("heading", { level: 1, name: "You do not have access" });
  expect(screen.getByRole("alert").textContent).toContain("This page is for admins.");
  await waitFor(() => expect(screen.queryByRole("link", { name: "People" })).toBeNull());
});

it("says that the gateway cannot be reached, and retries", async () => {
  const { routes } = fakeGateway({ "GET /api/v1/session": Response.error() });
  routes["GET /api/v1/session"] = () => {
    throw new TypeError("Failed to fetch");
  };
  const user = userEvent.setup();
  renderApp("/account");
  const again = await screen.findByRole("button", { name: "Try again" });
  routes["GET /api/v1/session"] = json(sessionOf(somebody()));
  routes["GET /api/v1/tokens"] = json([]);
  await user.click(again);
  await screen.findByRole("heading", { level: 1, name: "Ada" });
});
