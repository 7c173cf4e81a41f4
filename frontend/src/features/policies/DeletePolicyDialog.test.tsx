import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { policyQuery } from "@/api/policies";
import { empty, fakeGateway } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import { DeletePolicyDialog } from "./DeletePolicyDialog";

test("left while it is deleted, nobody is taken elsewhere, and nothing of it is shown again", async () => {
  let answer = (_: Response) => {};
  const deleted = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  fakeGateway({ "DELETE /api/v1/policies/ships": () => deleted });
  const onDeleted = vi.fn();
  function Page() {
    const [open, setOpen] = useState(true);
    return open && <DeletePolicyDialog name="ships" version={2} onClose={() => setOpen(false)} onDeleted={onDeleted} />;
  }
  const { client } = renderSignedIn(<Page />);
  const { queryKey } = policyQuery("ships");
  client.setQueryData(queryKey, { name: "ships", title: "", guard: false, rules: [], version: 2 } as never);
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  answer(empty());
  await screen.findByText("ships is deleted");
  await waitFor(() => expect(client.getQueryData(queryKey)).toBeUndefined());
  expect(onDeleted).not.toHaveBeenCalled();
});
