import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { upload } from "@/api/upload";
import { fakeGateway, json } from "@/test/fake-gateway";
import "@/test/readable-blobs";
import { renderSignedIn } from "@/test/render";
import { ImportDialog } from "./ImportDialog";

vi.mock("@/api/upload", () => ({ upload: vi.fn() }));

beforeEach(() => {
  vi.mocked(upload).mockReset();
  fakeGateway({ "GET /api/v1/gateway": json({ name: "alpha", max_document_bytes: 1000 }) });
});

async function dialogFor(content: BlobPart, name = "memo.txt", type = "text/plain", asks = true) {
  const onImported = vi.fn();
  const nothing = () => {};
  renderSignedIn(
    <ImportDialog
      file={new File([content], name, { type })}
      open
      onImported={onImported}
      onChooseAgain={nothing}
      onClose={nothing}
    />,
  );
  const dialog = within(await screen.findByRole("dialog", { name: "Import a document" }));
  if (asks) await dialog.findByText("How should this file be imported?");
  const importButton = dialog.queryByRole("button", { name: "Import" }) as HTMLElement;
  return { dialog, onImported, user: userEvent.setup(), importButton };
}

/** What was sent, as the gateway would see it. */
async function sent() {
  const asked = vi.mocked(upload).mock.lastCall?.[0];
  if (!asked) throw new Error("nothing was sent");
  return { url: asked.url, body: await asked.body.text() };
}

it("suggests marked text for a file with tags, and sends nothing before the author imports it", async () => {
  const { dialog, user, onImported, importButton } = await dialogFor("Gate code <$S>7714<$E>.");
  expect(dialog.getByRole("radio", { name: "Marked text" }).getAttribute("aria-checked")).toBe("true");
  expect(dialog.getByText("1 span")).toBeTruthy();
  expect(dialog.getByText("7714").tagName).toBe("MARK");
  expect(dialog.getByText("Gate code <$S>7714<$E>.")).toBeTruthy();
  expect(upload).not.toHaveBeenCalled();

  vi.mocked(upload).mockResolvedValue({ id: "d1" });
  await user.click(importButton);
  await waitFor(() => expect(onImported).toHaveBeenCalledWith({ id: "d1" }));
  expect(await sent()).toEqual({
    url: "/api/v1/drafts?form=marked&name=memo.txt&media_type=text%2Fplain",
    body: "Gate code <$S>7714<$E>.",
  });
});

it("takes text without tags as it is, without a question", async () => {
  vi.mocked(upload).mockResolvedValue({ id: "d1" });
  const { onImported } = await dialogFor("All is well.", "notes.md", "", false);
  await waitFor(() => expect(onImported).toHaveBeenCalledWith({ id: "d1" }));
  expect(upload).toHaveBeenCalledTimes(1);
  expect((await sent()).url).toBe("/api/v1/drafts?form=literal&name=notes.md&media_type=text%2Fmarkdown");
});

it("asks for another name if that of a text is too long", async () => {
  const { dialog, user, importButton } = await dialogFor("All is well.", "x".repeat(301));
  await user.click(importButton);
  expect(dialog.getByText("The name must be 300 characters or fewer. It has 301.")).toBeTruthy();
  const name = dialog.getByRole("textbox", { name: "Name" });
  await user.clear(name);
  await user.click(importButton);
  expect(dialog.getByText("Enter a name.")).toBeTruthy();
  await user.type(name, "Notes");
  await user.click(importButton);
  expect((await sent()).url).toBe("/api/v1/drafts?form=literal&name=Notes&media_type=text%2Fplain");
});

it("points out the place where the tags do not fit, and lets the author choose again", async () => {
  const { dialog, user, importButton } = await dialogFor("One\ntwo <$E> three");
  for (const radio of dialog.getAllByRole("radio")) expect(radio.getAttribute("aria-checked")).toBe("false");
  await user.click(importButton);
  expect(dialog.getByText("Choose how to import the file.")).toBeTruthy();
  await user.click(dialog.getByRole("radio", { name: "Marked text" }));
  expect(dialog.getByRole("alert").textContent).toContain("Line 2, column 5: <$E> closes a span, but none is open");
  const line = await dialog.findByRole("figure", { name: "Line 2" });
  expect(line.textContent).toContain("two  here: <$E>");
  expect(importButton.hasAttribute("disabled")).toBe(true);
  await user.click(dialog.getByRole("radio", { name: "Literal text" }));
  expect(dialog.queryByRole("alert")).toBeNull();
  expect(importButton.hasAttribute("disabled")).toBe(false);
});

it("converts text in Latin-1, says so, and sends a whole file as it is", async () => {
  const { dialog, user, importButton } = await dialogFor(new Uint8Array([0x63, 0x61, 0xe9]), "latin1.txt");
  expect(dialog.getByText(/converted from Latin-1 \(Windows-1252\) to UTF-8/)).toBeTruthy();
  expect(dialog.getByText("caé")).toBeTruthy();
  vi.mocked(upload).mockRejectedValueOnce(new Problem(503, "Full."));
  await user.click(importButton);
  expect(await sent()).toEqual({
    url: "/api/v1/drafts?form=literal&name=latin1.txt&media_type=text%2Fplain",
    body: "caé",
  });
  await user.click(await dialog.findByRole("radio", { name: "Classify the whole file" }));
  await user.click(dialog.getByRole("button", { name: "Import" }));
  const { url, body } = await sent();
  expect(url).toContain("form=framed&name=latin1.txt&media_type=application%2Foctet-stream");
  expect(body.startsWith("[[0,3]]\n")).toBe(true);
});

it("classifies other files as a whole unless the author says otherwise", async () => {
  const { dialog, user, importButton } = await dialogFor(new Uint8Array([0x89, 0, 0xff]), "a.bin", "");
  const asFile = dialog.getByRole("radio", { name: "Other file" });
  expect(asFile.getAttribute("aria-checked")).toBe("false");
  expect(dialog.getByRole("radio", { name: "Classify the whole file" }).getAttribute("aria-checked")).toBe("true");
  await user.click(asFile);
  await user.click(importButton);
  expect((await sent()).url).toContain("form=file&name=a.bin&media_type=application%2Foctet-stream");
});

it("refuses a file that is too large before the upload", async () => {
  const { dialog, user, importButton } = await dialogFor("x".repeat(1001));
  expect(dialog.getByRole("alert").textContent).toContain("This gateway accepts up to 1 KB (1,000 bytes)");
  expect(importButton.hasAttribute("disabled")).toBe(true);
  await user.click(importButton);
  expect(upload).not.toHaveBeenCalled();
});

it("keeps the form when the gateway refuses or fails, and retries", async () => {
  vi.mocked(upload).mockImplementationOnce(async ({ onProgress }) => {
    onProgress(5, 12);
    throw new Problem(0, "The gateway cannot be reached.");
  });
  const { dialog, user } = await dialogFor("All is well.");
  const alert = await dialog.findByRole("alert");
  expect(alert.textContent).toContain("The upload stopped after 5 bytes. Nothing was saved.");
  vi.mocked(upload).mockRejectedValueOnce(new Problem(422, "Line 1, column 5: no.", { line: 1, column: 5 }));
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  expect((await dialog.findByRole("figure", { name: "Line 1" })).textContent).toContain("All  here: i");
});

it("is cancelled while it is sent", async () => {
  let signal = new AbortController().signal;
  vi.mocked(upload).mockImplementationOnce((asked) => {
    signal = asked.signal;
    asked.onProgress(5, 12);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const { dialog, user, onImported } = await dialogFor("All is well.", "memo.txt", "text/plain", false);
  expect(await dialog.findByRole("progressbar", { name: "Uploading to the gateway" })).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Cancel import" }));
  expect(signal.aborted).toBe(true);
  expect(await dialog.findByRole("button", { name: "Import" })).toBeTruthy();
  expect(dialog.queryByRole("alert")).toBeNull();
  expect(onImported).not.toHaveBeenCalled();
});
