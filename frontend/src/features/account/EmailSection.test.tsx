import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { NotificationsShown } from "@/api/notifications";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import { EmailSection } from "./EmailSection";

const NONE: NotificationsShown = {
  email: null,
  email_notifications: false,
  email_available: true,
  names_documents: false,
};

it("switches e-mail on, and says where messages go", async () => {
  const { asked } = fakeGateway({
    "GET /api/v1/me/notifications": json(NONE),
    "GET /api/v1/session/confirmation": json({ confirmed: true }),
    "PUT /api/v1/me/notifications": ({ body }) => json({ ...NONE, ...JSON.parse(body) }),
  });
  const user = userEvent.setup();
  renderSignedIn(<EmailSection />);
  await user.click(await screen.findByRole("checkbox", { name: "E-mail me when documents arrive" }));
  expect(screen.getByText("Enter an e-mail address.")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(asked.filter(({ method }) => method === "PUT")).toEqual([]);
  await user.type(screen.getByLabelText("E-mail address"), " ada@example.org ");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("Messages go to ada@example.org.");
  expect(JSON.parse(asked.at(-1)?.body ?? "")).toEqual({ email: "ada@example.org", email_notifications: true });
});

it("asks who it is before messages go elsewhere, and not to end them", async () => {
  let confirmed = false;
  const { asked } = fakeGateway({
    "GET /api/v1/me/notifications": json({ ...NONE, email: "ada@example.org", email_notifications: true }),
    "GET /api/v1/session/confirmation": () => json({ confirmed, methods: { password: true } }),
    "POST /api/v1/session/confirmation": () => {
      confirmed = true;
      return empty();
    },
    "PUT /api/v1/me/notifications": ({ body }) => json({ ...NONE, ...JSON.parse(body) }),
  });
  const puts = () => asked.filter(({ method }) => method === "PUT").map(({ body }) => JSON.parse(body ?? "").email);
  const user = userEvent.setup();
  renderSignedIn(<EmailSection />);
  const box = await screen.findByRole("checkbox", { name: "E-mail me when documents arrive" });
  await user.click(box);
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("You will get no messages about documents.");
  expect(puts()).toEqual(["ada@example.org"]);
  await user.type(screen.getByLabelText("E-mail address"), ".uk");
  await user.click(screen.getByRole("button", { name: "Save" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }));
  expect(puts()).toHaveLength(1);
  await user.type(dialog.getByLabelText("Password"), "secret");
  await user.click(dialog.getByRole("button", { name: "Confirm" }));
  await waitFor(() => expect(puts()).toEqual(["ada@example.org", "ada@example.org.uk"]));
});

it("does not ask who it is if nothing changed", async () => {
  const saved = { ...NONE, email: "ada@example.org", email_notifications: true };
  const { asked } = fakeGateway({
    "GET /api/v1/me/notifications": json(saved),
    "PUT /api/v1/me/notifications": json(saved),
  });
  const user = userEvent.setup();
  renderSignedIn(<EmailSection />);
  await user.click(await screen.findByRole("button", { name: "Save" }));
  await screen.findByText("Messages go to ada@example.org.");
  expect(asked.map(({ method }) => method)).toEqual(["GET", "PUT"]);
});

it("shows what is wrong with an address", async () => {
  fakeGateway({
    "GET /api/v1/me/notifications": json({ ...NONE, email: "ada" }),
    "GET /api/v1/session/confirmation": json({ confirmed: true }),
    "PUT /api/v1/me/notifications": () => refused(400, "body.email: not an e-mail address"),
  });
  const user = userEvent.setup();
  renderSignedIn(<EmailSection />);
  await user.click(await screen.findByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain("not an e-mail address");
});

it.each([
  [false, /neither the document’s name nor its text/],
  [true, /names the sender and the document/],
])("says what messages name (documents: %s)", async (names_documents, said) => {
  fakeGateway({ "GET /api/v1/me/notifications": json({ ...NONE, names_documents }) });
  renderSignedIn(<EmailSection />);
  expect(await screen.findByText(said)).toBeDefined();
});

it("is not there at a gateway without a mail server", async () => {
  const { asked } = fakeGateway({ "GET /api/v1/me/notifications": json({ ...NONE, email_available: false }) });
  const { container } = renderSignedIn(<EmailSection />);
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(container.querySelector("form")).toBeNull());
});
