import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeGateway, json } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import { bannerOf, LabelsBanner } from "./LabelsBanner";

const SET = {
  name: "nato",
  default: "NR",
  labels: [
    { name: "NR", rank: 1, banner: "NATO RESTRICTED", colour: null },
    { name: "NS", rank: 2, banner: "NATO SECRET", colour: null },
  ],
};

it.each([
  [[], null],
  [["NS", "NR"], { text: "NATO SECRET", isHighest: true }],
  [["NR"], { text: "NATO RESTRICTED", isHighest: true }],
  [["NR", "GEHEIM"], { text: "NR, GEHEIM", isHighest: false }],
  [["GEHEIM"], { text: "GEHEIM", isHighest: true }],
])("has the highest of %j, or all if this gateway does not know them", (names, banner) => {
  expect(bannerOf(names, SET)).toEqual(banner);
});

it("is at the top of each printed page, whatever the label says", async () => {
  fakeGateway({ "GET /api/v1/labels": json({ name: null, labels: [], default: null }) });
  const { unmount } = renderSignedIn(<LabelsBanner names={['A "quoted"\\ one', "B"]} />);
  expect(await screen.findByRole("region", { name: "Banner" })).toBeDefined();
  const { style } = document.documentElement;
  expect(style.getPropertyValue("--page-banner")).toBe('"A \\"quoted\\"\\\\ one, B · "');
  unmount();
  expect(style.getPropertyValue("--page-banner")).toBe("");
});
