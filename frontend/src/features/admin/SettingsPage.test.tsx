import { i18n } from "@lingui/core";
import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { SettingShown } from "@/api/types";
import { startEnglish } from "@/i18n/english";
import { messages } from "@/i18n/french";
import { fakeGateway, json } from "@/test/fake-gateway";
import { renderSignedIn } from "@/test/render";
import { SettingsPage } from "./SettingsPage";

afterEach(startEnglish);

const said = (text: string, code: string, parameters: Record<string, number> = {}) => ({ text, code, parameters });
const setting = (change: Partial<SettingShown>): SettingShown => ({
  name: "log_level",
  value: "info",
  value_said: null,
  note: "The level of the log. Set by SIEVE_LOG_LEVEL.",
  warning: null,
  warning_said: null,
  ...change,
});
const SETTINGS = [
  setting({ name: "metrics_token", value: "not set", value_said: said("not set", "setting-not-set") }),
  setting({ name: "deleted_days", value: "30 d", value_said: said("30 d", "time-days", { days: 30 }) }),
  setting({ name: "batch_bytes", value: "4 MiB", value_said: said("4 MiB", "size-mib", { size: 4 }) }),
  setting({ name: "lease_s", value: "0.0025 s", value_said: said("0.0025 s", "time-seconds", { seconds: 0.0025 }) }),
  setting({ name: "of_a_newer_gateway", note: "New. Set by SIEVE_OF_A_NEWER_GATEWAY." }),
];

const row = async (name: string) => within(await screen.findByRole("row", { name: new RegExp(`^${name}`) }));

test.each([
  ["en", ["not set", "30 d", "4 MiB", "0.0025 s"], "Set by SIEVE_DELETED_DAYS."],
  ["fr", ["non défini", "30 j", "4 Mio", "0,0025 s"], "Défini par SIEVE_DELETED_DAYS."],
])("values are in the language of the page: %s", async (locale, values, by) => {
  if (locale === "fr") i18n.loadAndActivate({ locale, messages });
  fakeGateway({ "GET /api/v1/settings": json(SETTINGS) });
  renderSignedIn(<SettingsPage />);
  for (const [at, name] of ["metrics_token", "deleted_days", "batch_bytes", "lease_s"].entries()) {
    expect((await row(name)).getByText(values[at] ?? "")).toBeTruthy();
  }
  expect((await row("deleted_days")).getByText(by, { exact: false })).toBeTruthy();
  expect((await row("of_a_newer_gateway")).getByText("New. Set by SIEVE_OF_A_NEWER_GATEWAY.")).toBeTruthy();
});
