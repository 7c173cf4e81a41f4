import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { OpenSession, TokenShown } from "@/api/types";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { AccountPage } from "./AccountPage";

const LAPTOP: TokenShown = {
  id: "t1",
  label: "laptop",
  scopes: ["send", "read"],
  created_at: "2026-11-20T10:00:00Z",
  expires_at: null,
  last_used_at: null,
};
const HERE: OpenSession = {
  id: "s1",
  device: "Firefox on Linux",
  source: "192.0.2.1",
  created_at: "2026-11-20T10:00:00Z",
  last_used_at: "2026-11-20T10:00:00Z",
  current: true,
};
const NO_FACTORS = { passkeys: [], app: null, recovery_codes_left: 0, required: false, passkeys_here: false };
const SESSION = {
  "GET /api/v1/session": json(sessionOf(somebody())),
  "GET /api/v1/sessions": json([HERE]),
  "GET /api/v1/factors": json(NO_FACTORS),
};

const METHODS = { password: false, passkey: false, app: true, recovery_code: false };

it("shows a new token once, after a confirmation with the second factor", async () => {
  let confirmed = false;
  const tokens = [LAPTOP];
  const { asked } = fakeGateway({
    ...SESSION,
    "GET /api/v1/tokens": () => json(tokens),
    "GET /api/v1/session/confirmation": () => json({ confirmed, methods: METHODS }),
    "POST /api/v1/session/confirmation": () => {
      confirmed = true;
      return empty();
    },
    "POST /api/v1/tokens": () => {
      const made = { ...LAPTOP, id: "t2", label: "export" };
      tokens.push(made);
      return json({ ...made, token: "sieve_secret" }, 201);
    },
  });
  const user = userEvent.setup();
  renderSignedIn(<AccountPage />);
  await user.click(await screen.findByRole("button", { name: "New token" }));
  const proof = await screen.findByRole("dialog", { name: "Confirm that it is you" });
  await user.type(within(proof).getByLabelText("Code from your authenticator app"), "123456");
  await user.click(within(proof).getByRole("button", { name: "Confirm" }));
  const dialog = await screen.findByRole("dialog", { name: "New token" });
  await waitFor(() => expect(document.activeElement).toBe(within(dialog).getByLabelText("What is it for?")));
  await user.type(within(dialog).getByLabelText("What is it for?"), "export");
  await user.click(within(dialog).getByRole("checkbox", { name: /^Send/ }));
  await user.click(within(dialog).getByRole("button", { name: "Create token" }));

  await screen.findByText("sieve_secret");
  expect(JSON.parse(asked.find((one) => one.method === "POST" && one.path === "/api/v1/tokens")?.body ?? "")).toEqual({
    label: "export",
    expires_in_days: 90,
    scopes: ["read"],
  });
  // A slip of the hand does not lose it.
  await user.keyboard("{Escape}");
  expect(screen.getByText("sieve_secret")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Done" }));
  await waitFor(() => expect(screen.queryByText("sieve_secret")).toBeNull());
  await screen.findByRole("rowheader", { name: "export" });
});

it("revokes a token after asking", async () => {
  let tokens = [LAPTOP];
  fakeGateway({
    ...SESSION,
    "GET /api/v1/tokens": () => json(tokens),
    "DELETE /api/v1/tokens/t1": () => {
      tokens = [];
      return empty();
    },
  });
  const user = userEvent.setup();
  renderSignedIn(<AccountPage />);
  await user.click(await screen.findByRole("button", { name: "Revoke laptop" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Revoke “laptop”?" });
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Cancel"));
  await user.click(within(dialog).getByRole("button", { name: "Revoke" }));
  await screen.findByText("No tokens yet");
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
});

it("shows where the person is signed in, and signs out of one browser", async () => {
  let sessions = [HERE, { ...HERE, id: "s2", device: "Safari on iPhone", source: "198.51.100.7", current: false }];
  fakeGateway({
    ...SESSION,
    "GET /api/v1/tokens": json([]),
    "GET /api/v1/sessions": () => json(sessions),
    "DELETE /api/v1/sessions/s2": () => {
      sessions = [HERE];
      return empty();
    },
  });
  const user = userEvent.setup();
  renderSignedIn(<AccountPage />);
  await screen.findByText("198.51.100.7");
  expect(screen.queryByRole("button", { name: "Sign out of Firefox on Linux" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Sign out of Safari on iPhone" }));
  await waitFor(() => expect(screen.queryByText("198.51.100.7")).toBeNull());
});

it("changes the password, and shows why the old one was wrong", async () => {
  let right = false;
  fakeGateway({
    ...SESSION,
    "GET /api/v1/tokens": json([]),
    "GET /api/v1/session/confirmation": json({ confirmed: true, methods: { ...METHODS, app: false, password: true } }),
    "PUT /api/v1/me/password": () => (right ? empty() : refused(403, "the current password is wrong")),
  });
  const user = userEvent.setup();
  renderSignedIn(<AccountPage />);
  const change = screen.getByRole("button", { name: "Change password" });
  await user.type(screen.getByLabelText("Current password"), "old");
  await user.type(screen.getByLabelText("New password"), "a sentence is good");
  await user.click(change);
  expect((await screen.findByRole("alert")).textContent).toBe("The current password is wrong.");
  right = true;
  await user.click(change);
  await waitFor(() => expect(screen.getByLabelText("Current password")).toHaveProperty("value", ""));
  expect(screen.getByLabelText("New password")).toHaveProperty("value", "");
});

it("confirms with the typed password before it changes it, if that is all that the person has", async () => {
  const { asked } = fakeGateway({
    ...SESSION,
    "GET /api/v1/tokens": json([]),
    "GET /api/v1/session/confirmation": json({ confirmed: false, methods: { ...METHODS, app: false, password: true } }),
    "POST /api/v1/session/confirmation": empty(),
    "PUT /api/v1/me/password": empty(),
  });
  await changePassword();
  await waitFor(() => expect(screen.getByLabelText("Current password")).toHaveProperty("value", ""));
  const changes = asked.filter(({ method }) => method !== "GET");
  expect(changes.map(({ method, body }) => [method, JSON.parse(String(body))])).toEqual([
    ["POST", { password: "old" }],
    ["PUT", { current: "old", new: "a sentence is good" }],
  ]);
});

it("asks for the second factor before it changes the password", async () => {
  let confirmed = false;
  const { asked } = fakeGateway({
    ...SESSION,
    "GET /api/v1/tokens": json([]),
    "GET /api/v1/session/confirmation": () => json({ confirmed, methods: METHODS }),
    "POST /api/v1/session/confirmation": () => {
      confirmed = true;
      return empty();
    },
    "PUT /api/v1/me/password": empty(),
  });
  const user = await changePassword();
  const proof = await screen.findByRole("dialog", { name: "Confirm that it is you" });
  await user.type(within(proof).getByLabelText("Code from your authenticator app"), "123456");
  await user.click(within(proof).getByRole("button", { name: "Confirm" }));
  await waitFor(() => expect(screen.getByLabelText("Current password")).toHaveProperty("value", ""));
  expect(asked.filter(({ method }) => method === "PUT")).toHaveLength(1);
});

async function changePassword() {
  const user = userEvent.setup();
  renderSignedIn(<AccountPage />);
  await user.type(screen.getByLabelText("Current password"), "old");
  await user.type(screen.getByLabelText("New password"), "a sentence is good");
  await user.click(screen.getByRole("button", { name: "Change password" }));
  return user;
}

it("offers no password change to people without a password", async () => {
  const person = somebody({ has_password: false });
  fakeGateway({ ...SESSION, "GET /api/v1/session": json(sessionOf(person)), "GET /api/v1/tokens": json([]) });
  renderSignedIn(<AccountPage />, person);
  await screen.findByText("No tokens yet");
  expect(screen.queryByLabelText("Current password")).toBeNull();
});
