import { t } from "@lingui/core/macro";
import { Download } from "lucide-react";
import { documentContentUrl, plainStreamUrl } from "@/api/documents";
import { isText } from "@/api/media-types";
import type { DocumentShown } from "@/api/types";
import { DownloadLink } from "@/components/DownloadLink";

/** Downloads of a document of mine: all of it, with its marks, redacted, and what an eavesdropper gets. */
export function StoredDownloads({ document: { id, format, media_type, plain_bytes } }: { document: DocumentShown }) {
  const marked = format === "text" && isText(media_type);
  const links: [string, string][] = [
    [t`Document`, documentContentUrl(id, "full")],
    ...(marked ? [[t`Marked text`, documentContentUrl(id, "marked")] as [string, string]] : []),
    ...(format === "bytes" ? [] : [[t`Redacted`, documentContentUrl(id, "redacted")] as [string, string]]),
    ...(plain_bytes > 0 ? [[t`Plain part`, plainStreamUrl(id)] as [string, string]] : []),
  ];
  return (
    <ul aria-label={t`Downloads`} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {links.map(([label, href]) => (
        <li key={label}>
          <DownloadLink href={href} className="tap inline-flex min-h-6 items-center gap-1.5">
            <Download aria-hidden className="size-4 shrink-0 text-quiet" />
            {label}
          </DownloadLink>
        </li>
      ))}
    </ul>
  );
}
