import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Lock } from "lucide-react";
import { whereText } from "./model/place-names";
import { useOpenFile } from "./open-file";
import { useChoice, useCoverage } from "./viewed-file";

/** The selection, and whether it is classified. */
export function FileStatus() {
  const { format } = useOpenFile();
  const choice = useChoice();
  const coverage = useCoverage();
  return (
    <>
      {choice && (
        <span className="min-w-0 truncate">
          <Trans>
            Selected: <span className="text-ink">{choice.words}</span>
          </Trans>
        </span>
      )}
      {coverage && (coverage.above !== null || coverage.all) && (
        <span className="flex min-w-0 items-center gap-1 font-medium text-secure">
          <Lock aria-hidden className="size-3 shrink-0" />
          <span className="truncate">
            {coverage.above === null
              ? t`Classified`
              : t`Classified with ${{ place: lowered(whereText(format, coverage.above)) }}`}
          </span>
        </span>
      )}
    </>
  );
}

function lowered(where: string): string {
  return where.charAt(0).toLowerCase() + where.slice(1);
}
