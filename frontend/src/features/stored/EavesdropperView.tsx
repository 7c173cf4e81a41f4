import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { plainStream } from "@/api/documents";
import type { DocumentShown } from "@/api/types";
import { ChannelIcon } from "@/components/channels";
import { Bytes } from "@/components/ui/Bytes";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { eavesdropped, readsAsText } from "@/features/files/eavesdropped";
import { FirstLines } from "@/features/files/FirstLines";
import { firstLinesOf } from "@/features/files/first-lines";

/** What somebody gets who reads the plain channel. `securely`: it was not used. */
export function EavesdropperView({ document, securely }: { document: DocumentShown; securely: boolean }) {
  const { id, format, plain_bytes, document_bytes } = document;
  const isText = format === "text" || readsAsText(format);
  const shows = isText && plain_bytes > 0 && !securely;
  const head = useQuery({
    // not a text
    queryKey: ["content", "document plain head", id],
    queryFn: async ({ signal }) => firstLinesOf(await plainStream(id, signal)),
    enabled: shows,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { seen, unseen } = eavesdropped(document);
  if (securely) {
    return (
      <p className="flex gap-2">
        <ChannelIcon channel="secure" className="mt-1" />
        {t`Nothing. All of it was to travel on the secure channel.`}
      </p>
    );
  }
  return (
    <div className="flex max-w-prose flex-col gap-4">
      <p className="flex items-center gap-2 font-medium text-plain">
        <ChannelIcon channel="plain" />
        <span>
          <Trans>
            <Bytes value={plain_bytes} /> of <Bytes value={document_bytes} /> unencrypted
          </Trans>
        </span>
      </p>
      {format !== "text" && <p>{seen}</p>}
      {format !== "text" && unseen && (
        <p className="flex gap-2">
          <ChannelIcon channel="secure" className="mt-0.5" />
          <span>{unseen}</span>
        </p>
      )}
      {format === "text" && plain_bytes === 0 && <p>{t`Nothing: all of it is classified.`}</p>}
      {shows && head.isPending && <Skeleton label={t`Loading the plain part`} lines={4} />}
      {shows && head.error && (
        <ErrorPanel title={t`Could not load the plain part.`} problem={head.error} onRetry={() => head.refetch()} />
      )}
      {shows && head.data && (
        <FirstLines
          label={head.data.more ? t`The first lines as they are sent` : t`All of it, as it is sent`}
          head={head.data}
          eavesdropped
        />
      )}
    </div>
  );
}
