import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const root = somebody({ id: "r", name: "root", display_name: "Root", is_admin: true });
const bruno = somebody({ id: "b", name: "bruno", display_name: "Bruno", is_author: false, has_password: false });
const base = {
  "GET /api/v1/session": json(sessionOf(root)),
  "GET /api/v1/people": json([bruno, root]),
  "GET /api/v1/session/confirmation": json({ confirmed: true }),
  "GET /api/v1/approvals": json({ waiting: [], other_admins: 0 }),
};

test("lists everybody with what they may do, and finds by part of a name", async () => {
  fakeGateway(base);
  renderApp("/admin/people");
  const row = await screen.findByRole("row", { name: /Bruno/ });
  expect(within(row).getByText("Cleared")).toBeTruthy();
  expect(within(row).getByText("No password yet")).toBeTruthy();
  await userEvent.type(screen.getByRole("textbox", { name: "Search people" }), "roo");
  await waitFor(() => expect(screen.queryByRole("row", { name: /Bruno/ })).toBeNull());
  expect(screen.getByRole("row", { name: /Root/ })).toBeTruthy();
});

test("the dialog that imports people starts at the button that chooses the file", async () => {
  fakeGateway(base);
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Import" }));
  const dialog = await screen.findByRole("dialog", { name: "Import people" });
  const choose = within(dialog).getByRole("button", { name: "Choose file" });
  await waitFor(() => expect(document.activeElement).toBe(choose));
});

test("a new person's link is shown once, also if the first try to make it failed", async () => {
  let tries = 0;
  const { asked } = fakeGateway({
    ...base,
    "POST /api/v1/people": json(somebody({ id: "c", name: "carla", display_name: "Carla" }), 201),
    "POST /api/v1/people/c/link": () =>
      ++tries === 1
        ? refused(503, "the database is busy; try again")
        : json({ url: "/welcome#secret-code", expires_at: "2026-12-01T00:00:00Z" }, 201),
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "New person" }));
  const dialog = await screen.findByRole("dialog", { name: "New person" });
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Name" }), "Carla");
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Login" }), "carla");
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Unit (optional)" }), "Harbour office");
  await userEvent.click(within(dialog).getByRole("button", { name: "Create account" }));
  expect(within(dialog).getByRole("alert").textContent).toBe("Choose at least one role.");
  await userEvent.click(within(dialog).getByRole("checkbox", { name: /Recipient/ }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Create account" }));
  expect(await within(dialog).findByText(/database is busy/)).toBeTruthy();
  await userEvent.click(within(dialog).getByRole("button", { name: "Create account" }));
  expect(await screen.findByText(/welcome#secret-code/)).toBeTruthy();
  const made = asked.filter(({ method, path }) => method === "POST" && path === "/api/v1/people");
  expect(made.map(({ body }) => JSON.parse(body))).toEqual([
    {
      ...{ name: "carla", display_name: "Carla", unit: "Harbour office", is_service: false },
      ...{ is_author: false, is_recipient: true, is_admin: false, cleared: false },
    },
  ]);
});

test("a dialog that was closed while its action was running does not close the next one", async () => {
  let answer = (_: Response) => {};
  const disabled = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  fakeGateway({ ...base, "PATCH /api/v1/people/b": () => disabled });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Actions for Bruno" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Disable/ }));
  const asked = within(await screen.findByRole("alertdialog", { name: "Disable Bruno?" }));
  await userEvent.click(asked.getByRole("button", { name: "Disable" }));
  await userEvent.click(asked.getByRole("button", { name: "Cancel" }));
  await userEvent.click(screen.getByRole("button", { name: "New person" }));
  const dialog = await screen.findByRole("dialog", { name: "New person" });
  answer(json(bruno));
  expect(await screen.findByText("Bruno disabled")).toBeTruthy();
  expect(dialog.isConnected).toBe(true);
});

test("a refused change keeps the form and shows the reason", async () => {
  fakeGateway({
    ...base,
    "PATCH /api/v1/people/r": refused(409, "this is the only admin; make another person an admin first"),
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Actions for Root" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Change roles and clearance" }));
  const dialog = await screen.findByRole("dialog", { name: "Root" });
  await userEvent.click(within(dialog).getByRole("checkbox", { name: /Admin/ }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Save" }));
  expect(await within(dialog).findByText(/only admin/)).toBeTruthy();
});

test("a second admin agrees to clearance for earlier documents, after a confirmation", async () => {
  const rosa = somebody({ id: "o", name: "rosa", display_name: "Rosa", cleared_since: "2026-11-20T10:00:00Z" });
  const asked_for = {
    ...{ id: "a1", kind: "clearance", person: "rosa", person_name: "Rosa", asked_by: "second" },
    ...{ asked_at: "2026-11-20T10:00:00Z", may_agree: true, may_refuse: true, enough: true },
  };
  let waiting = [asked_for];
  let confirmed = false;
  fakeGateway({
    ...base,
    "GET /api/v1/session/confirmation": () => json({ confirmed, methods: { password: true } }),
    "POST /api/v1/session/confirmation": () => {
      confirmed = true;
      return empty();
    },
    "GET /api/v1/people": json([rosa, root]),
    "GET /api/v1/approvals": () => json({ waiting, other_admins: 1 }),
    "POST /api/v1/approvals/a1/agree": () => {
      waiting = [];
      return empty();
    },
  });
  renderApp("/admin/people");
  await screen.findByText(/Cleared since .*; not for earlier documents/);
  await userEvent.click(await screen.findByRole("button", { name: "Agree for Rosa" }));
  const proof = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }));
  await userEvent.type(proof.getByLabelText("Password"), "correct horse battery");
  await userEvent.click(proof.getByRole("button", { name: "Confirm" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Agree for Rosa?" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Agree" }));
  await waitFor(() => expect(screen.queryByText("Waiting for a second admin")).toBeNull());
});

test.each([
  ["Change roles and clearance", "Bruno"],
  ["Enable", "Rosa"],
])("%s begins with a confirmation", async (item, name) => {
  const rosa = somebody({ id: "o", name: "rosa", display_name: "Rosa", disabled_at: "2026-11-20T10:00:00Z" });
  fakeGateway({
    ...base,
    "GET /api/v1/people": json([bruno, rosa, root]),
    "GET /api/v1/session/confirmation": json({ confirmed: false, methods: { password: true } }),
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
  expect(await screen.findByRole("dialog", { name: "Confirm that it is you" })).toBeTruthy();
});

test("to disable somebody needs no confirmation", async () => {
  fakeGateway({ ...base, "GET /api/v1/session/confirmation": json({ confirmed: false, methods: { password: true } }) });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Actions for Bruno" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Disable/ }));
  expect(await screen.findByRole("alertdialog", { name: "Disable Bruno?" })).toBeTruthy();
});

test("an admin withdraws what they asked for", async () => {
  let waiting = [
    {
      ...{ id: "a1", kind: "clearance", person: "rosa", person_name: "Rosa", asked_by: "root" },
      ...{ asked_at: "2026-11-20T10:00:00Z", may_agree: false, may_refuse: true, may_withdraw: true, enough: true },
    },
  ];
  fakeGateway({
    ...base,
    "GET /api/v1/approvals": () => json({ waiting, other_admins: 1 }),
    "POST /api/v1/approvals/a1/refuse": () => {
      waiting = [];
      return empty();
    },
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Withdraw for Rosa" }));
  expect(screen.queryByRole("button", { name: "Refuse for Rosa" })).toBeNull();
  const dialog = await screen.findByRole("alertdialog", { name: "Withdraw the request for Rosa?" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Withdraw" }));
  await waitFor(() => expect(screen.queryByText("Waiting for a second admin")).toBeNull());
});

test("a service account gets a token instead of a link", async () => {
  const desk = somebody({ id: "d", name: "desk", display_name: "Desk", is_service: true, has_password: false });
  const token = { id: "t1", label: "script", scopes: ["send", "read"], created_at: "2026-11-20T10:00:00Z" };
  const { asked } = fakeGateway({
    ...base,
    "POST /api/v1/people": json(desk, 201),
    "POST /api/v1/people/d/tokens": json({ ...token, expires_at: null, last_used_at: null, token: "sieve_x" }, 201),
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "New person" }));
  const dialog = await screen.findByRole("dialog", { name: "New person" });
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Name" }), "Desk");
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Login" }), "desk");
  await userEvent.click(within(dialog).getByRole("radio", { name: /A program/ }));
  await userEvent.click(within(dialog).getByRole("checkbox", { name: /Author/ }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Create account" }));
  const next = await screen.findByRole("dialog", { name: "New token" });
  await userEvent.type(within(next).getByLabelText("What is it for?"), "script");
  await userEvent.click(within(next).getByRole("button", { name: "Create token" }));
  expect(await screen.findByText("sieve_x")).toBeTruthy();
  const body = asked.find(({ path }) => path === "/api/v1/people/d/tokens")?.body ?? "";
  expect(JSON.parse(body)).toEqual({ label: "script", expires_in_days: 90, scopes: ["send", "read"] });
});
