import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect } from "react";
import { expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { sessionQuery } from "@/api/session";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { sessionStatusOf, useSession } from "./session";

const ada = somebody();
const bruno = somebody({ id: "b", name: "bruno", display_name: "Bruno" });

function Page({ work }: { work?: () => Promise<unknown> }) {
  const { person, has, leave, beforeLeaving } = useSession();
  useEffect(() => work && beforeLeaving(work), [work, beforeLeaving]);
  return (
    <>
      <p>
        {person.display_name}, {has("admin") ? "admin" : "no admin"}
      </p>
      <textarea aria-label="Work" />
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
    </>
  );
}

it("derives a page's status from the gateway's answer", () => {
  expect(sessionStatusOf(ada, sessionOf(ada)).is).toBe("held");
  expect(sessionStatusOf(ada, sessionOf(null)).is).toBe("ended");
  expect(sessionStatusOf(ada, sessionOf(bruno))).toEqual({ is: "taken", other: bruno });
});

it("keeps the page and typed text while its owner signs in again", async () => {
  let signedIn = true;
  const { asked } = fakeGateway({
    "GET /api/v1/session": () => json(sessionOf(signedIn ? ada : null)),
    "GET /api/v1/tokens": () => (signedIn ? json([]) : refused(401, "sign in first")),
    "POST /api/v1/session": () => {
      signedIn = true;
      return json(sessionOf(ada));
    },
  });
  const user = userEvent.setup();
  renderSignedIn(<Page />, ada);
  await user.type(screen.getByLabelText("Work"), "half a sentence");

  signedIn = false;
  await expect(api.GET("/api/v1/tokens")).rejects.toMatchObject({ status: 401 });
  await screen.findByRole("dialog", { name: "You are signed out" });
  expect(screen.getByLabelText("Login")).toHaveProperty("value", "ada");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Password")));
  expect(document.documentElement.classList.contains("page-hidden")).toBe(true);
  expect(screen.getByRole("dialog").closest("body > *")?.className).toBe("over-hidden-page");
  await user.type(screen.getByLabelText("Password"), "a good password");
  await user.click(screen.getByRole("button", { name: "Sign in" }));

  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.documentElement.classList.contains("page-hidden")).toBe(false);
  expect(screen.getByLabelText("Work")).toHaveProperty("value", "half a sentence");
  expect(JSON.parse(asked.find((one) => one.method === "POST")?.body ?? "")).toEqual({
    name: "ada",
    password: "a good password",
  });
});

it("takes a 401 about something else for what it is", async () => {
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(ada)),
    "PUT /api/v1/me/password": refused(401, "the current password is wrong"),
  });
  const { client } = renderSignedIn(<Page />, ada);
  await expect(api.PUT("/api/v1/me/password", { body: { current: "x", new: "y" } })).rejects.toBeDefined();
  await waitFor(() => expect(client.isFetching()).toBe(0));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("warns before another person's sign-in closes the page", async () => {
  fakeGateway({ "GET /api/v1/session": json(sessionOf(null)) });
  const user = userEvent.setup();
  const { client } = renderSignedIn(<Page />, ada);
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const login = await screen.findByLabelText("Login");
  await user.clear(login);
  await user.type(login, "bruno");
  expect(screen.getByText(/unsaved changes will be lost/)).toBeDefined();
  expect(screen.getByRole("button", { name: "Sign in and close this page" })).toBeDefined();
});

it("says who signed in instead", async () => {
  fakeGateway({ "GET /api/v1/session": json(sessionOf(bruno)) });
  const { client } = renderSignedIn(<Page />, ada);
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await screen.findByRole("dialog", { name: "Bruno signed in" });
  expect(screen.getByText("Ada, no admin")).toBeDefined();
});

it("gives the owner new roles without a reload", async () => {
  fakeGateway({ "GET /api/v1/session": json(sessionOf({ ...ada, is_admin: true })) });
  const { client } = renderSignedIn(<Page />, ada);
  expect(screen.getByText("Ada, no admin")).toBeDefined();
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await screen.findByText("Ada, admin");
});

it("counts down after too many tries", async () => {
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(null)),
    "POST /api/v1/session": refused(429, "too many tries", {}, { "Retry-After": "59" }),
  });
  const user = userEvent.setup();
  const { client } = renderSignedIn(<Page />, ada);
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  await user.type(await screen.findByLabelText("Password"), "wrong");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
  const wait = await screen.findByRole("button", { name: /^Wait \d+ s$/ });
  expect(wait.getAttribute("aria-disabled")).toBe("true");
  expect(document.activeElement, "what was pressed keeps the focus").toBe(wait);
  expect(screen.getByRole("alert").textContent).toContain("Too many tries.");
  expect(vi.mocked(fetch).mock.calls.length).toBeGreaterThan(0);
});

it("finishes pending work before signing out, and checks the session if the person stays", async () => {
  const order: string[] = [];
  let signedIn = true;
  fakeGateway({
    "GET /api/v1/session": () => json(sessionOf(signedIn ? ada : null)),
    "DELETE /api/v1/session": () => {
      order.push("signed out");
      signedIn = false;
      return new Response(null, { status: 204 });
    },
  });
  // Nothing is loaded here, as where the browser asks and one stays.
  renderSignedIn(<Page work={async () => void order.push("saved")} />, ada);
  await userEvent.click(screen.getByRole("button", { name: "Sign out" }));
  await waitFor(() => expect(order).toEqual(["saved", "signed out"]));
  await screen.findByRole("dialog", { name: "You are signed out" });
});
