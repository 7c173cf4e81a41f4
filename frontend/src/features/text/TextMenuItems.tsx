import { t } from "@lingui/core/macro";
import { Download, ScrollText, Search } from "lucide-react";
import { MenuItem } from "@/components/ui/Menu";

export function FindItems({ onFind, onPolicy }: { onFind: () => void; onPolicy: () => void }) {
  return (
    <>
      <MenuItem icon={<Search />} onClick={onFind}>
        {t`Find and mark`}
      </MenuItem>
      <MenuItem icon={<ScrollText />} onClick={onPolicy}>
        {t`Mark by a policy`}
      </MenuItem>
    </>
  );
}

export function DownloadMarkedItem({ onDownload }: { onDownload: () => void }) {
  return (
    <MenuItem icon={<Download />} onClick={onDownload}>
      {t`Download with marks`}
    </MenuItem>
  );
}
