/** The dialog for sending, on a page of its own, and a gateway that answers it. */
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import type { DocumentChecked, FindingShown } from "@/api/findings";
import type { DraftShown } from "@/api/types";
import { type Answer, fakeGateway, json } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { type SendAgain, SendDialog } from "./SendDialog";
import { aDraft, anEstimate, aTransfer } from "./transfer.fixture";

/** What the dialog asks besides the peers. */
export const AROUND = {
  "GET /api/v1/recipients/recent": json([]),
  "GET /api/v1/recipient-groups": json([]),
  "GET /api/v1/gateway": json({ name: "alpha", deadline_s: 259_200 }),
};
export const BRAVO = { name: "bravo", is_own: false };
export const BRUNO = { name: "bruno", display_name: "Bruno", unit: "Harbour office", cleared: true };
export const ROSA = { name: "rosa", display_name: "Rosa", unit: null, cleared: false };

export const CLEAN: DocumentChecked = {
  revision: 2,
  count: 0,
  kinds: {},
  digest: "d0",
  suggestions: [],
  findings: [],
  more: false,
  rule: "confirm",
};
export const PLAN = {
  ...{ mode: "sieve", secure_channels: 1, plain_channels: 2, most_secure: 3, most_plain: 2 },
  estimate: anEstimate(),
};
export const FINDING: FindingShown = {
  ...{
    id: "f1",
    kind: "phrase",
    group: "berg",
    says: "“Berg” is marked elsewhere",
    address: "text",
    travels_plain: true,
  },
  ...{ start: 4, end: 8, excerpt: "Ask Berg or" },
};
export const FOUND: DocumentChecked = {
  ...CLEAN,
  count: 3,
  digest: "d3",
  suggestions: [],
  findings: [
    FINDING,
    { ...FINDING, id: "f2", start: 20, end: 24 },
    { ...FINDING, id: "f3", kind: "name", group: "", start: null, end: null },
  ],
};

export interface Around {
  onLeaveOut?: (draft: DraftShown) => void;
  reasons?: readonly string[];
  onShow?: (finding: FindingShown) => void;
  again?: SendAgain;
}

export function Page({ drafts, ...around }: { drafts: readonly DraftShown[] } & Around) {
  const [open, setOpen] = useState(true);
  return <SendDialog drafts={drafts} {...around} open={open} onOpenChange={setOpen} />;
}

export async function opened(
  draft = aDraft(),
  routes: Record<string, Answer> = {},
  person = somebody(),
  around: Around = {},
) {
  const { asked } = fakeGateway({
    "GET /api/v1/recipients/gateways": json([BRAVO]),
    "GET /api/v1/peers/bravo/recipients": json({ recipients: [BRUNO, ROSA], as_of: null }),
    "POST /api/v1/sends": json({ transfers: [aTransfer()] }, 202),
    "POST /api/v1/drafts/d1/check": json(CLEAN),
    "GET /api/v1/peers/bravo/plan": json(PLAN),
    ...AROUND,
    ...routes,
  });
  renderSignedIn(<Page drafts={[draft]} {...around} />, person);
  const dialog = within(await screen.findByRole("dialog", { name: "Send this document" }));
  const sent = () =>
    asked.filter(({ path }) => path === "/api/v1/sends").map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return { dialog, asked, sent };
}

export async function choose(dialog: ReturnType<typeof within>, name: string) {
  await userEvent.type(await dialog.findByRole("combobox", { name: "Recipients" }), name);
  await userEvent.click(await screen.findByRole("option", { name: new RegExp(name) }));
}

export const send = (dialog: ReturnType<typeof within>) =>
  userEvent.click(dialog.getByRole("button", { name: "Send" }));
