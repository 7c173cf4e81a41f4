import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { documentTextQuery } from "@/api/documents";
import type { VersionShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { cx } from "@/lib/cx";
import { listText } from "@/lib/prose";
import { sizeText } from "@/lib/sizes";
import { parse } from "@/marked-text/markup";
import { type Comparison, changesOf, compareTexts, type Run } from "./compare-texts";

/** Larger texts would stop the page while they are compared. */
const MOST_BYTES = 2_000_000;

/** What differs between two versions of a text, in the text. */
export function ComparedTexts({ before, after }: { before: VersionShown; after: VersionShown }) {
  const tooLarge = Math.max(before.document_bytes, after.document_bytes) > MOST_BYTES;
  const old = useQuery({ ...documentTextQuery(before.document_id, "marked"), enabled: !tooLarge });
  const now = useQuery({ ...documentTextQuery(after.document_id, "marked"), enabled: !tooLarge });
  const found = useMemo(() => {
    // An empty text is a text, too.
    if (old.data === undefined || now.data === undefined) return undefined;
    return compareTexts(parse(old.data), parse(now.data));
  }, [old.data, now.data]);
  if (tooLarge) return <p>{t`Only texts of up to ${{ size: sizeText(MOST_BYTES) }} can be compared here.`}</p>;
  const failed = [old, now].find(({ error }) => error);
  if (failed?.error) {
    return <ErrorPanel title={t`Could not load a version.`} problem={failed.error} onRetry={() => failed.refetch()} />;
  }
  if (found === undefined) return <Skeleton lines={8} label={t`Comparing the versions`} />;
  if (found === null) return <p>{t`These versions differ too much to be compared here.`}</p>;
  return <Differences found={found} />;
}

function Differences({ found }: { found: Comparison }) {
  const [whole, setWhole] = useState(false);
  const shown = useMemo(() => (whole ? found.runs : changesOf(found.runs)), [whole, found]);
  const cut = shown.some((part) => "leftOut" in part);
  const nothing = found.runs.every((run) => run.where === "both" && run.wasClassified === run.isClassified);
  return (
    <>
      <p role="status" className="font-medium">
        {nothing ? t`Both versions have the same text and the same marks.` : summary(found)}
      </p>
      {!nothing && (
        <>
          <Legend />
          <section aria-label={t`Differences`} className="sheet">
            <div className="wrap-anywhere whitespace-pre-wrap font-serif text-[1.0625rem] leading-7">
              {shown.map((part, at) =>
                "leftOut" in part ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a comparison never change
                  <p key={at} className="my-3 border-line border-y py-1 font-sans text-quiet text-sm">
                    {plural(part.leftOut, {
                      one: "# unchanged character not shown",
                      other: "# unchanged characters not shown",
                    })}
                  </p>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <RunText key={at} run={part} />
                ),
              )}
            </div>
          </section>
          {(cut || whole) && (
            <Button className="self-start" onClick={() => setWhole(!whole)}>
              {whole ? t`Show changes only` : t`Show the whole text`}
            </Button>
          )}
        </>
      )}
    </>
  );
}

const ADDED = "bg-ok/15 decoration-2 decoration-ok underline-offset-4";
const REMOVED = "bg-danger/10 decoration-danger text-quiet";
const MARK_ADDED = "outline-2 outline-secure outline-dashed";
const MARK_REMOVED = "outline-1 outline-danger outline-dashed";

function RunText({ run: { text, where, wasClassified, isClassified } }: { run: Run }) {
  const classified = where === "old" ? wasClassified : isClassified;
  const marked = where === "both" && isClassified !== wasClassified;
  const content = classified ? (
    <mark className={cx("classified", marked && MARK_ADDED)}>
      {marked && <span className="sr-only">{t`Marked:`} </span>}
      {text}
    </mark>
  ) : marked ? (
    <span className={MARK_REMOVED}>
      <span className="sr-only">{t`No longer marked:`} </span>
      {text}
    </span>
  ) : (
    text
  );
  if (where === "new") return <ins className={ADDED}>{content}</ins>;
  if (where === "old") return <del className={REMOVED}>{content}</del>;
  return content;
}

function Legend() {
  return (
    <ul aria-label={t`Legend`} className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      <li>
        <ins className={ADDED}>{t`Added`}</ins>
      </li>
      <li>
        <del className={REMOVED}>{t`Removed`}</del>
      </li>
      <li>
        <mark className={cx("classified", MARK_ADDED)}>{t`Marked`}</mark>
      </li>
      <li>
        <span className={MARK_REMOVED}>{t`No longer marked`}</span>
      </li>
    </ul>
  );
}

/** "2 words added, 1 word removed and 1 passage marked." */
function summary({ wordsAdded, wordsRemoved, marksAdded, marksRemoved }: Comparison): string {
  const said = [
    wordsAdded > 0 && plural(wordsAdded, { one: "# word added", other: "# words added" }),
    wordsRemoved > 0 && plural(wordsRemoved, { one: "# word removed", other: "# words removed" }),
    marksAdded > 0 && plural(marksAdded, { one: "# passage marked", other: "# passages marked" }),
    marksRemoved > 0 &&
      plural(marksRemoved, { one: "# passage no longer marked", other: "# passages no longer marked" }),
  ].filter((part) => part !== false);
  return said.length === 0 ? t`Only spaces and line ends differ.` : `${listText(said)}.`;
}
