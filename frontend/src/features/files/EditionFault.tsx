import { t } from "@lingui/core/macro";
import { Lock, TriangleAlert } from "lucide-react";
import { Problem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { whole } from "./model/marks";
import { pagesText } from "./model/page-ranges";
import { useOpenFile } from "./open-file";

/** Why no redacted edition could be made, and what helps: a mark that it needs, or another try if the gateway was busy. */
export function EditionFault({ problem, onRetry }: { problem: Error; onRetry: () => void }) {
  const file = useOpenFile();
  const pages = problem instanceof Problem && problem.status === 409 ? unmarkedPages(problem.detail) : [];
  if (pages.length === 0) {
    // The same file and marks fail the same way again.
    const isLasting = problem instanceof Problem && [409, 413, 422].includes(problem.status);
    return (
      <ErrorPanel
        title={t`The redacted edition could not be made.`}
        problem={problem}
        {...(!isLasting && { onRetry })}
      />
    );
  }
  const mark = () => {
    const open = file.leaks.findings().open.filter(({ start }) => start !== null);
    const places = pages.flatMap((page) => {
      const found = file.leaks.placesOf(open.filter(({ address }) => address === `page/${page}`));
      return found.length > 0 ? found : [whole(`page/${page}`)];
    });
    file.mark(places, `${pages.length === 1 ? "page" : "pages"} ${pagesText(pages)}`);
  };
  return (
    <div
      role="alert"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-md border border-plain-edge border-dashed bg-plain-ground px-4 py-3"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      <div className="min-w-48 flex-1">
        <p className="font-medium">{t`One more mark is needed.`}</p>
        <p>
          {pages.length === 1
            ? t`Page ${{ page: pagesText(pages) }} shows a text that is marked elsewhere. Without a mark there, recipients without clearance would read it.`
            : t`Pages ${{ pages: pagesText(pages) }} show a text that is marked elsewhere. Without marks there, recipients without clearance would read it.`}
        </p>
      </div>
      <Button
        size="sm"
        icon={<Lock aria-hidden className="text-secure" />}
        onClick={mark}
      >{t`Mark it there, too`}</Button>
    </div>
  );
}

/** The pages that a refusal names: "Page/2, page/5: these pages show …", with the capital letter that begins each sentence of the API. */
function unmarkedPages(detail: string): number[] {
  const [, addresses = ""] = /^((?:page\/\d+(?:, )?)+): /i.exec(detail) ?? [];
  return detail.includes("marked elsewhere") ? [...addresses.matchAll(/\d+/g)].map(([page]) => Number(page)) : [];
}
