import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { WebhookShown } from "@/api/notifications";
import { empty, fakeGateway, json } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { WebhooksDialog } from "./WebhooksDialog";

const URL_OF_APP = "https://app.example.org/sieve";
const HOOK: WebhookShown = {
  id: "w1",
  url: URL_OF_APP,
  created_at: "2026-11-20T10:00:00Z",
  sent_at: null,
  problem: null,
};

it("adds a webhook, shows its secret once, tests it and removes it", async () => {
  let rows: WebhookShown[] = [];
  const path = `/api/v1/people/${somebody().id}/webhooks`;
  const { asked } = fakeGateway({
    "GET /api/v1/session/confirmation": json({ confirmed: true }),
    [`GET ${path}`]: () => json(rows),
    [`POST ${path}`]: () => {
      rows = [HOOK];
      return json({ ...HOOK, secret: "whsec_abc" }, 201);
    },
    [`POST ${path}/w1/test`]: () => {
      const problem = "the application answered with status 404";
      rows = [{ ...HOOK, problem }];
      return json({ problem });
    },
    [`DELETE ${path}/w1`]: () => {
      rows = [];
      return empty();
    },
  });
  const user = userEvent.setup();
  renderSignedIn(<WebhooksDialog person={somebody()} onClose={() => undefined} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Webhooks of Ada" }));
  await dialog.findByText("No webhooks yet.");
  await user.type(dialog.getByLabelText("Address"), URL_OF_APP);
  await user.click(dialog.getByRole("button", { name: "Add webhook" }));
  await dialog.findByText("whsec_abc");
  await dialog.findByText("Not called yet.");
  expect(JSON.parse(asked.find(({ method }) => method === "POST")?.body ?? "")).toEqual({ url: URL_OF_APP });

  await user.click(dialog.getByRole("button", { name: `Test ${URL_OF_APP}` }));
  await dialog.findByText("Last request failed: the application answered with status 404.");
  await user.click(dialog.getByRole("button", { name: `Remove ${URL_OF_APP}` }));
  await dialog.findByText("No webhooks yet.");
});
