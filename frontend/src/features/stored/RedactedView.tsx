import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { documentSource, outlineQuery } from "@/api/file-source";
import { redactedQuery } from "@/api/redacted-edition";
import type { DocumentShown } from "@/api/types";
import { sentence } from "@/lib/prose";
import { CouldNotShow, Loading, NotShown, StoredText, Viewed } from "./FullView";

/** What recipients without clearance get. */
export function RedactedView({ document }: { document: DocumentShown }) {
  if (document.format === "text") return <StoredText document={document} edition="gaps" />;
  return <RedactedFile document={document} />;
}

const NO_MARKS = [] as const;

function RedactedFile({ document }: { document: DocumentShown }) {
  const known = useQuery(redactedQuery(document.id));
  const source = useMemo(() => documentSource(document.id, "redacted"), [document.id]);
  const has = known.data !== undefined && known.data.redacted_bytes !== null;
  const outline = useQuery({ ...outlineQuery(source), enabled: has, retry: false });
  const error = known.error ?? outline.error;
  if (error) {
    return <CouldNotShow problem={error} onRetry={() => void (known.error ? known.refetch() : outline.refetch())} />;
  }
  if (known.data && !has) {
    return (
      <NotShown>
        {known.data.note === null ? t`There is no redacted edition of this file.` : sentence(known.data.note)}
      </NotShown>
    );
  }
  if (!outline.data) return <Loading />;
  return <Viewed name={t`Redacted edition`} source={source} outline={outline.data} marks={NO_MARKS} />;
}
