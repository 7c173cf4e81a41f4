/** What is written with a number is French where the page is. */
import { i18n } from "@lingui/core";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startEnglish } from "@/i18n/english";
import { messages } from "@/i18n/french";
import { numberIn } from "@/lib/numbers";
import { fakeGateway, json } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import { VALUE_NAME } from "./figures";
import { HeadlinePanel } from "./HeadlinePanel";
import { Slider } from "./Slider";
import { aHeadline, aSummary } from "./timings.fixture";

beforeAll(() => i18n.loadAndActivate({ locale: "fr", messages }));
afterAll(startEnglish);

test.each([
  [1, "1 annulé"],
  [2, "2 annulés"],
])("%i cancelled", async (cancelled, text) => {
  fakeGateway({ "GET /api/v1/timings/summary": json(aSummary({ current: aHeadline({ cancelled, failed: 2 }) })) });
  renderSignedIn(<HeadlinePanel />);
  expect(await screen.findByText(text)).toBeTruthy();
  expect(screen.getByText("Échecs")).toBeTruthy();
});

test("channels", () => {
  expect(VALUE_NAME.channels("2+1")).toBe("2 sécurisés, 1 en clair");
});

test("a slider's field has a decimal comma, and takes a point, too", async () => {
  const user = userEvent.setup();
  const onChange = vi.fn();
  renderSignedIn(
    <Slider
      label="Rate"
      value={0.183}
      limits={[0.001, 1000]}
      onChange={onChange}
      text={String}
      unit={{ name: "s", size: 1 }}
    />,
  );
  const field = screen.getByRole("textbox", { name: "Rate, s" }) as HTMLInputElement;
  expect(field.value).toBe("0,183");
  for (const typed of ["27,4", "27.4"]) {
    await user.clear(field);
    await user.type(field, typed);
    expect(onChange).toHaveBeenLastCalledWith(27.4);
  }
  await user.type(field, "x");
  expect(field.getAttribute("aria-invalid")).toBe("true");
});

test.each([
  ["1 000,5", 1000.5],
  ["", Number.NaN],
  ["1,2,3", Number.NaN],
])("typed %s", (text, number) => {
  expect(numberIn(text)).toBe(number);
});
