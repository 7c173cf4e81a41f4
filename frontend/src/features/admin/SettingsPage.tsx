import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { saidText } from "@/api/sentence-text";
import { SETTING_NOTES } from "@/api/setting-notes";
import { settingsQuery } from "@/api/settings";
import type { SettingShown } from "@/api/types";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { Loaded } from "@/components/ui/Loaded";
import { PageHeader } from "@/components/ui/PageHeader";

const COLUMNS: readonly Column<SettingShown>[] = [
  { id: "name", header: t`Setting`, names: true, cell: (setting) => setting.name },
  {
    id: "value",
    header: t`Value`,
    className: "sm:w-[24%]",
    cell: ({ value, value_said: said }) => (
      <span lang={said ? undefined : "en"} className="break-all tabular-nums">
        {saidText(said, value)}
      </span>
    ),
  },
  {
    id: "note",
    header: t`Description`,
    cell: (setting) => {
      const warning = warningOf(setting);
      return (
        <>
          {warning && <span className="wrap-anywhere block font-medium text-danger">{t`Warning: ${warning}.`}</span>}
          <Note {...setting} />
        </>
      );
    },
  },
];

function warningOf({ warning, warning_said: said }: SettingShown): string {
  return saidText(said, warning ?? "");
}

/** What a setting is for, and the variable that sets it; in English if it is newer than this page. */
function Note({ name, note }: SettingShown) {
  const text = SETTING_NOTES[name];
  const variable = `SIEVE_${name.toUpperCase()}`;
  return (
    <span lang={text === undefined ? "en" : undefined} className="wrap-anywhere text-quiet">
      {text === undefined ? note : t`${text} Set by ${variable}.`}
    </span>
  );
}

/** The settings that the gateway started with; first the warnings about unsafe ones. */
export function SettingsPage() {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <PageHeader title={t`Settings`}>
        {t`Settings the gateway started with. Change them on its machine, then restart it. Secrets are not shown.`}
      </PageHeader>
      <Loaded query={settings} what={t`the settings`} lines={8}>
        {(all) => (
          <>
            <Warnings settings={all.filter(({ warning }) => warning !== null)} />
            <DataTable caption={t`Settings`} columns={COLUMNS} rows={all} rowId={({ name }) => name} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Warnings({ settings }: { settings: readonly SettingShown[] }) {
  if (settings.length === 0) return null;
  return (
    <section
      aria-label={t`Warnings`}
      className="mb-4 flex gap-3 rounded-md border border-danger/50 bg-danger-ground px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <ul className="flex min-w-0 flex-col gap-1">
        {settings.map((setting) => {
          const { name } = setting;
          const warning = warningOf(setting);
          return (
            <li key={name} className="wrap-anywhere">
              <Trans>
                <span className="font-medium">{name}</span>: {warning}.
              </Trans>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
