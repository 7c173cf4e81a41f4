import { t } from "@lingui/core/macro";
import { Link, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { Markdown } from "@/components/markdown/Markdown";
import { markdownView } from "@/components/markdown/markdown-view";
import { PageHeader } from "@/components/ui/PageHeader";
import { currentLanguage } from "@/i18n/language";
import guide from "../../../../docs/guide.md?raw";
import { guideParts } from "./guide-parts";

const PARTS = guideParts(guide);

/** The guide that belongs to this version, one part at a time. */
export function GuidePage() {
  const { part: asked } = useSearch({ from: "/in/guide" });
  const part = PARTS.find(({ title }) => title === asked) ?? PARTS[0];
  const view = useMemo(() => markdownView({ text: part?.text ?? "", spans: [] }, false), [part]);
  return (
    <>
      <PageHeader title={t`Guide`}>{currentLanguage() !== "en" && t`The guide is in English only.`}</PageHeader>
      <div className="grid gap-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
        <nav aria-label={t`Parts of the guide`} className="lg:sticky lg:top-20 lg:self-start">
          <ul lang="en" className="flex flex-wrap gap-x-4 text-sm lg:flex-col">
            {PARTS.map(({ title }) => (
              <li key={title}>
                <Link
                  to="/guide"
                  search={{ part: title }}
                  aria-current={title === part?.title ? "page" : undefined}
                  className="tap inline-flex min-h-8 items-center aria-[current=page]:font-medium aria-[current=page]:text-ink"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <article lang="en" aria-label={part?.title} className="sheet max-w-4xl">
          <Markdown view={view} gaps={false} />
        </article>
      </div>
    </>
  );
}
