import { t } from "@lingui/core/macro";
import { Lock } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { whole } from "../model/marks";
import { pagesOf, pagesText } from "../model/page-ranges";
import { useMarks, useViewedFile } from "../viewed-file";

/** More are reached by their number. */
const MOST_SHOWN = 500;

interface PagesPanelProps {
  pages: number;
  onPage: (page: number) => void;
  /** What else concerns all pages. */
  children: ReactNode;
}

/** All pages at a glance, with how each travels, and a field to mark several of them by number. */
export function PagesPanel({ pages, onPage, children }: PagesPanelProps) {
  const { marking } = useViewedFile();
  const { index } = useMarks();
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const numbers = Array.from({ length: Math.min(pages, MOST_SHOWN) }, (_, at) => at + 1);
  const classified = Array.from({ length: pages }, (_, at) => at + 1).filter((page) => index.count(`page/${page}`) > 0);
  const submit = (action: "mark" | "unmark") => (event?: FormEvent) => {
    event?.preventDefault();
    const wanted = pagesOf(typed, pages);
    if (typeof wanted === "string") {
      setFault(wanted);
      announce(wanted);
      return;
    }
    setFault(null);
    const words = `${wanted.length === 1 ? "page" : "pages"} ${pagesText(wanted)}`;
    marking?.[action](
      wanted.map((page) => whole(`page/${page}`)),
      words,
    );
    setTyped("");
  };
  return (
    <section aria-labelledby="pages" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="pages" className="font-medium text-sm">{t`Pages`}</h2>
        <p className="text-quiet text-sm">
          {classified.length === 0
            ? marking && t`No page is classified yet`
            : t`${{ count: numberText(classified.length) }} of ${{ pages: numberText(pages) }} classified by marks`}
        </p>
      </div>
      <ul aria-label={t`Pages`} className="-m-1 flex max-h-32 flex-wrap gap-1 overflow-y-auto p-1">
        {numbers.map((page) => {
          const isClassified = index.count(`page/${page}`) > 0;
          return (
            <li key={page}>
              <button
                type="button"
                aria-label={
                  isClassified ? t`Page ${page}, classified` : marking ? t`Page ${page}, not marked` : t`Page ${page}`
                }
                onClick={() => onPage(page)}
                className={cx(
                  "flex h-8 pointer-coarse:h-11 min-w-10 pointer-coarse:min-w-11 items-center justify-center gap-1 rounded-sm border px-1.5 text-xs tabular-nums hover:border-ink",
                  isClassified
                    ? "border-secure-edge bg-secure-ground font-medium text-secure"
                    : "border-plain-edge border-dashed bg-paper text-plain",
                )}
              >
                {isClassified && <Lock aria-hidden className="size-3" />}
                {page}
              </button>
            </li>
          );
        })}
      </ul>
      {pages > MOST_SHOWN && (
        <p className="text-quiet text-sm">{t`Only the first ${{ count: numberText(MOST_SHOWN) }} are shown. Mark others by number.`}</p>
      )}
      <div className="flex flex-wrap items-start justify-between gap-3">
        {marking && pages > 1 && (
          <form noValidate onSubmit={submit("mark")} className="flex flex-wrap items-start gap-2">
            <Field
              label={t`Pages to mark`}
              labelHidden
              error={fault}
              className="min-w-40 flex-1 max-sm:basis-full sm:max-w-64"
            >
              <Input
                value={typed}
                placeholder={t`Pages, such as 1-3, 7`}
                autoComplete="off"
                onChange={({ target }) => setTyped(target.value)}
              />
            </Field>
            <Button type="submit">{t`Mark pages`}</Button>
            <Button onClick={() => submit("unmark")()}>{t`Unmark pages`}</Button>
          </form>
        )}
        {children}
      </div>
    </section>
  );
}
