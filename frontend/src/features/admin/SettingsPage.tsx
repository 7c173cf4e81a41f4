import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
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
    header: "Description",
    cell: ({ note, warning }) => (
      <>
        {warning !== null && <span className="wrap-anywhere block font-medium text-danger">Warning: {warning}.</span>}
        <span className="wrap-anywhere text-quiet">{note}</span>
      </>
    ),
  },
];

/** What the gateway was told at its start; what of it is not safe stands before all else. */
export function SettingsPage() {
  const settings = useQuery(settingsQuery);
  const warned = settings.data?.filter(({ warning }) => warning !== null) ?? [];
  return (
    <>
      <PageHeader title="Settings">
        Settings the gateway started with. Change them on its machine, then restart it. Secrets are not shown.
      </PageHeader>
      {settings.error && <ErrorPanel problem={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Skeleton lines={8} label="Loading the settings" />}
      {warned.length > 0 && (
        <section
          aria-label="Warnings"
          className="mb-4 flex gap-3 rounded-md border border-danger/50 bg-danger-ground px-4 py-3 text-sm"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          <ul className="flex min-w-0 flex-col gap-1">
            {warned.map(({ name, warning }) => (
              <li key={name} className="wrap-anywhere">
                <span className="font-medium">{name}</span>: {warning}.
              </li>
            ))}
          </ul>
        </section>
      )}
      {settings.data && (
        <DataTable caption="Settings" columns={COLUMNS} rows={settings.data} rowId={(setting) => setting.name} />
      )}
    </>
  );
}
