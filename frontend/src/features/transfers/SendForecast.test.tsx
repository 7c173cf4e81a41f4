import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { PlanEstimate } from "@/api/types";
import { SendForecast } from "./SendForecast";
import { anEstimate } from "./transfer.fixture";

const BYTES = { classified_bytes: 100, plain_bytes: 900 };

function planOf(mode: string, reason: PlanEstimate["estimate"]["reason"] = "faster"): PlanEstimate {
  return {
    ...{ mode, secure_channels: 1, plain_channels: 1, most_secure: 8, most_plain: 8, split: "range", setup_ms: 1 },
    estimate: anEstimate({ reason }),
  };
}

function shown(
  plan: PlanEstimate,
  { mode = "auto", bytes = BYTES }: { mode?: "auto" | "sieve"; bytes?: typeof BYTES } = {},
) {
  const onMode = vi.fn();
  render(
    <SendForecast
      own={null}
      plans={[{ peer: "bravo", plan }]}
      down={[]}
      mode={mode}
      documents={1}
      bytes={bytes}
      onMode={onMode}
    />,
  );
  return onMode;
}

const offer = () => screen.queryByRole("button", { name: "Use both channels" });

test("where automatic takes the secure channel alone, one press uses both, and the page says what that means", async () => {
  const onMode = shown(planOf("secure-only"));
  expect(screen.getByText(/only the classified part \(100 bytes\) is encrypted/)).toBeTruthy();
  await userEvent.click(offer() ?? document.body);
  expect(onMode).toHaveBeenCalledWith("sieve");
});

test.each([
  ["both are used anyway", planOf("sieve"), {}],
  ["the author chose", planOf("secure-only"), { mode: "sieve" as const }],
  ["the plain channel failed", planOf("secure-only", "plain-failed"), {}],
  ["nothing is plain", planOf("secure-only"), { bytes: { classified_bytes: 100, plain_bytes: 0 } }],
  ["nothing is marked", planOf("secure-only"), { bytes: { classified_bytes: 0, plain_bytes: 900 } }],
])("both channels are not offered where %s", (_why, plan, around) => {
  shown(plan, around);
  expect(offer()).toBeNull();
});
