import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
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

const METHODS = { password: false, passkey: false, app: true, recovery_code: true, sso: false };
const FACTOR_STEP = { name: "ada", needs: "factor" as const, methods: METHODS };

it("asks for a second factor, and takes a recovery code instead", async () => {
  let session: ReturnType<typeof sessionOf> = sessionOf(null);
  fakeGateway({
    "GET /api/v1/session": () => json(session),
    "POST /api/v1/session": () => {
      session = { ...session, next_step: FACTOR_STEP };
      return json(session);
    },
    "POST /api/v1/session/factor": ({ body }) => {
      if (JSON.parse(body).recovery_code !== "aaaa-bbbb") return refused(403, "this code is wrong");
      session = sessionOf(somebody());
      return json(session);
    },
    "GET /api/v1/tokens": json([]),
  });
  const user = userEvent.setup();
  renderApp("/account");
  await user.type(await screen.findByLabelText("Login"), "ada");
  await user.type(screen.getByLabelText("Password"), "a good password{Enter}");
  const code = await screen.findByLabelText("Code from your authenticator app");
  expect(document.activeElement).toBe(code);
  await user.type(code, "000000{Enter}");
  await screen.findByText("This code is wrong.");
  expect(code).toHaveProperty("value", "");
  await user.click(screen.getByRole("button", { name: "Use a recovery code" }));
  expect(screen.queryByRole("alert")).toBeNull();
  await user.type(screen.getByLabelText("Recovery code"), "aaaa-bbbb{Enter}");
  await screen.findByRole("heading", { level: 1, name: "Ada" });
});

it("continues with the second step after a one-time link, and can start again", async () => {
  let session: ReturnType<typeof sessionOf> = { ...sessionOf(null), next_step: FACTOR_STEP };
  fakeGateway({
    "GET /api/v1/session": () => json(session),
    "DELETE /api/v1/session": () => {
      session = sessionOf(null);
      return empty();
    },
  });
  const user = userEvent.setup();
  renderApp("/");
  await screen.findByLabelText("Code from your authenticator app");
  await user.click(screen.getByRole("button", { name: "Start again" }));
  await screen.findByLabelText("Password");
});

it("leads people who need a second factor to add one before anything else", async () => {
  let session: ReturnType<typeof sessionOf> = {
    ...sessionOf(null),
    next_step: { name: "ada", needs: "enrolment", methods: { ...METHODS, app: false, recovery_code: false } },
  };
  fakeGateway({
    "GET /api/v1/session": () => json(session),
    "POST /api/v1/factors/app": json({ secret: "ABCDEFGH", address: "otpauth://", qr: ["1"] }),
    "POST /api/v1/factors/app/confirmation": () => {
      session = sessionOf(somebody());
      return json({ recovery_codes: ["aaaa-bbbb"] });
    },
    "GET /api/v1/tokens": json([]),
  });
  const user = userEvent.setup();
  renderApp("/account");
  await user.click(await screen.findByRole("button", { name: "Use an authenticator app" }));
  await screen.findByText("ABCD EFGH");
  await user.type(screen.getByLabelText("Code from your authenticator app"), "123456{Enter}");
  await screen.findByText("aaaa-bbbb");
  await user.click(screen.getByRole("button", { name: "I have saved them" }));
  await screen.findByRole("heading", { level: 1, name: "Ada" });
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
