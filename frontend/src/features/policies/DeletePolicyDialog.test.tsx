import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { policyQuery } from "@/api/policies";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp, renderSignedIn } from "@/test/render";
import { DeletePolicyDialog } from "./DeletePolicyDialog";

/** A page with the dialog, which answers the deletion on request. */
function deleting() {
  let answer = (_: Response) => {};
  const deleted = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  fakeGateway({ "DELETE /api/v1/policies/ships": () => deleted });
  const onDeleted = vi.fn();
  function Page() {
    const [open, setOpen] = useState(true);
    const [here, setHere] = useState(true);
    return (
      <>
        <button type="button" onClick={() => setHere(false)}>
          Leave
        </button>
        {here && (
          <DeletePolicyDialog
            name="ships"
            version={2}
            open={open}
            onClose={() => setOpen(false)}
            onDeleted={onDeleted}
          />
        )}
      </>
    );
  }
  const { client } = renderSignedIn(<Page />);
  const { queryKey } = policyQuery("ships");
  client.setQueryData(queryKey, { name: "ships", title: "", guard: false, rules: [], version: 2 } as never);
  return { answer, onDeleted, known: () => client.getQueryData(queryKey) };
}

async function closedMeanwhile(): Promise<void> {
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
}

test("a dialog closed during the deletion still leads to the list", async () => {
  let answer = (_: Response) => {};
  const deleted = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const policy = { name: "ships", title: "Ships", guard: false, rules: [], version: 1, latest: 1, toml: null };
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))),
    "GET /api/v1/policies/ships": json({ ...policy, changed_at: "2026-11-01T10:00:00Z", changed_by: "ada" }),
    "GET /api/v1/policies": json([]),
    "DELETE /api/v1/policies/ships": () => deleted,
  });
  renderApp("/admin/policies/ships");
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Delete ships?" }));
  await userEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await userEvent.click(dialog.getByRole("button", { name: "Cancel" }));
  answer(empty());
  expect(await screen.findByRole("heading", { name: "Policies", level: 1 })).toBeTruthy();
  expect(await screen.findByText("ships deleted")).toBeTruthy();
});

test("leaving the page during the deletion navigates nowhere, and the policy is not cached", async () => {
  const { answer, onDeleted, known } = deleting();
  await closedMeanwhile();
  await userEvent.click(screen.getByRole("button", { name: "Leave" }));
  answer(empty());
  await screen.findByText("ships deleted");
  await waitFor(() => expect(known()).toBeUndefined());
  expect(onDeleted).not.toHaveBeenCalled();
});

test("a dialog closed during the deletion still reports a refusal", async () => {
  const { answer, onDeleted } = deleting();
  await closedMeanwhile();
  answer(refused(412, "it is another by now"));
  expect(await screen.findByText("Could not delete ships.")).toBeTruthy();
  expect(screen.getByText("It is another by now.")).toBeTruthy();
  expect(onDeleted).not.toHaveBeenCalled();
});
