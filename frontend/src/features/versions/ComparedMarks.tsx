import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { documentMarksQuery } from "@/api/documents";
import type { Format, Mark } from "@/api/files";
import type { VersionShown } from "@/api/types";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { whereText } from "@/features/files/model/place-names";
import { numberText } from "@/lib/numbers";

/** What differs between the marks of two versions of a file. The file itself never changes. */
export function ComparedMarks({ before, after }: { before: VersionShown; after: VersionShown }) {
  const old = useQuery(documentMarksQuery(before.document_id));
  const now = useQuery(documentMarksQuery(after.document_id));
  const failed = [old, now].find(({ error }) => error);
  if (failed?.error) {
    return <ErrorPanel title={t`Could not load a version.`} problem={failed.error} onRetry={() => failed.refetch()} />;
  }
  if (!old.data || !now.data) return <Skeleton lines={4} label={t`Comparing the versions`} />;
  const [added, removed] = [without(now.data, old.data), without(old.data, now.data)];
  const format = after.format as Format;
  return (
    <>
      <p role="status" className="font-medium">
        {added.length + removed.length === 0 && t`Both versions have the same marks.`}
      </p>
      <Marks title={t`Marks added`} marks={added} format={format} />
      <Marks title={t`Marks removed`} marks={removed} format={format} />
      <p className="text-quiet text-sm">{t`A file that was imported never changes; only its marks do.`}</p>
    </>
  );
}

function Marks({ title, marks, format }: { title: string; marks: readonly Mark[]; format: Format }) {
  if (marks.length === 0) return null;
  return (
    <section aria-label={title} className="sheet">
      <h2 className="font-serif text-lg">
        {title} <span className="text-quiet tabular-nums">({numberText(marks.length)})</span>
      </h2>
      <ul className="mt-2 flex flex-col gap-1 text-sm">
        {marks.slice(0, MOST_LISTED).map((mark) => (
          <li key={keyOf(mark)} className="wrap-anywhere">
            {placeText(format, mark)}
            {mark.label && <span className="text-quiet"> {mark.label}</span>}
          </li>
        ))}
      </ul>
      {marks.length > MOST_LISTED && (
        <p className="mt-2 text-quiet text-sm">{t`The first ${MOST_LISTED} are listed.`}</p>
      )}
    </section>
  );
}

const MOST_LISTED = 500;

function placeText(format: Format, { address, start, end }: Mark): string {
  const where = whereText(format, address);
  return start === null || end === null ? where : t`${where}, characters ${{ start: start + 1 }} to ${end}`;
}

function without(marks: readonly Mark[], others: readonly Mark[]): readonly Mark[] {
  const known = new Set(others.map(keyOf));
  return marks.filter((mark) => !known.has(keyOf(mark)));
}

function keyOf({ address, start, end, label }: Mark): string {
  return JSON.stringify([address, start, end, label]);
}
