import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "@/api/settings";
import type { SettingShown } from "@/api/types";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";

const COLUMNS: readonly Column<SettingShown>[] = [
  { id: "name", header: "Setting", names: true, cell: (setting) => setting.name },
  { id: "value", header: "Value", cell: (setting) => <span className="break-all tabular-nums">{setting.value}</span> },
  {
    id: "note",
    header: "What it is",
    cell: (setting) => <span className="wrap-anywhere text-quiet">{setting.note}</span>,
  },
];

/** What the gateway was told at its start. */
export function SettingsPage() {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <PageHeader title="Settings">
        As they were read when the gateway started. They are changed on its machine, and count after a restart; secrets
        are not shown.
      </PageHeader>
      {settings.error && <ErrorPanel problem={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Skeleton lines={8} label="Loading the settings" />}
      {settings.data && (
        <DataTable caption="Settings" columns={COLUMNS} rows={settings.data} rowId={(setting) => setting.name} />
      )}
    </>
  );
}
