import { t } from "@lingui/core/macro";
import type { DraftShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { ClassifiedShare } from "@/features/documents/ClassifiedShare";

/** How much of a long text is classified in the latest save: counting at each key would be too slow. */
export function Share({ draft }: { draft: DraftShown }) {
  return (
    <div className="flex flex-col gap-3 text-sm">
      <h2 className="font-medium">{t`Classified content`}</h2>
      <ClassifiedShare draft={draft} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-quiet">{t`Classified, as saved`}</dt>
        <dd className="text-right">
          <Bytes value={draft.classified_bytes} />
        </dd>
        <dt className="text-quiet">{t`In the clear, as saved`}</dt>
        <dd className="text-right">
          <Bytes value={draft.plain_bytes} />
        </dd>
      </dl>
    </div>
  );
}
