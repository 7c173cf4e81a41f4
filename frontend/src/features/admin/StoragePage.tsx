import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { storageQuery } from "@/api/storage";
import { Loaded } from "@/components/ui/Loaded";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { Disks } from "./storage/Disks";
import { LastBackup } from "./storage/LastBackup";
import { RetentionTable } from "./storage/RetentionTable";
import { UseTable } from "./storage/UseTable";

/** What the gateway stores, how much space is left, and how long everything is kept. */
export function StoragePage() {
  const storage = useQuery(storageQuery);
  return (
    <>
      <PageHeader title={t`Storage`}>
        {t`What takes space, how much is free, and how long everything is kept. Change settings on the gateway’s machine, then restart it.`}
      </PageHeader>
      <Loaded query={storage} what={t`the storage`} lines={8}>
        {(found) => (
          <div className="flex flex-col gap-10">
            <Section title={t`Free space`}>
              <Disks disks={found.disks} />
            </Section>
            <Section
              title={t`What takes space`}
              lead={
                <Trans>
                  Counted <RelativeTime at={found.measured_at} />.
                </Trans>
              }
            >
              <UseTable storage={found} />
            </Section>
            <Section title={t`Last backup`}>
              <LastBackup backup={found.backup} />
            </Section>
            <Section
              title={t`How long it is kept`}
              lead={t`Expired entries are removed every five minutes, timing records and timestamps every hour, quarantine when the gateway starts.`}
            >
              <RetentionTable rules={found.retention} />
            </Section>
          </div>
        )}
      </Loaded>
    </>
  );
}
