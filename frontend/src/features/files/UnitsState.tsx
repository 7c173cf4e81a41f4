import { t } from "@lingui/core/macro";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { numberText } from "@/lib/numbers";
import { useUnits } from "./units-store";
import { useViewedFile } from "./viewed-file";

/** At the end of the text that is loaded: that there is more, or that it could not be loaded. */
export function UnitsState() {
  const { units: store } = useViewedFile();
  const { units, is, error } = useUnits(store);
  if (is === "failed") {
    return <ErrorPanel title={t`The text could not be loaded.`} problem={error} onRetry={() => store.start()} />;
  }
  if (is === "loading" || is === "waiting") {
    return <Skeleton label={t`Loading the text`} lines={units.length === 0 ? 8 : 2} className="py-4" />;
  }
  if (is === "done") return null;
  return (
    <div className="flex flex-wrap items-center gap-4 py-4 text-quiet text-sm">
      <p className="print:hidden">{t`The first ${{ count: numberText(units.length) }} pieces of text are shown.`}</p>
      <p className="hidden print:block">
        {t`Only the first ${{ count: numberText(units.length) }} pieces of text are printed. Download the file to print the rest.`}
      </p>
      <Button className="print:hidden" onClick={() => store.start()}>{t`Show more`}</Button>
    </div>
  );
}
