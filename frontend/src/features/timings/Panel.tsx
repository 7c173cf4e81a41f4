import { t } from "@lingui/core/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Download, Table } from "lucide-react";
import { type ReactNode, useState } from "react";
import { asProblem, isPassing } from "@/api/problem";
import { type Timed, timingsHref } from "@/api/timings";
import { useKeptError } from "@/components/kept-error";
import { Button, buttonClass } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Section } from "@/components/ui/Section";
import { Skeleton } from "@/components/ui/Skeleton";
import { cx } from "@/lib/cx";
import { PANEL_TITLES, type PanelPart, panelId } from "./panel-titles";

interface PanelProps<Answer> {
  /** What the panel shows, in a sentence. */
  lead: ReactNode;
  part: PanelPart;
  loaded: UseQueryResult<Timed<Answer>>;
  /** Whether there is nothing to draw, and what is shown then. */
  isEmpty?: (answer: Answer) => boolean;
  empty?: ReactNode;
  /** The same numbers as a `FigureTable`, shown instead of the chart. */
  table: (answer: Answer) => ReactNode;
  /** Switches of this panel alone. */
  controls?: ReactNode;
  /** New figures come so often that the previous ones stay as they are until then. */
  steady?: boolean;
  /** How many lines the skeleton has. */
  lines?: number;
  children: (answer: Answer) => ReactNode;
}

/** A part of the page: a chart with the same numbers as a table, as CSV and as JSON. */
export function Panel<Answer>(props: PanelProps<Answer>) {
  const { lead, part, loaded, isEmpty, empty, table, controls, lines = 6, steady = false, children } = props;
  const { data, isPlaceholderData, refetch } = loaded;
  const { error, isPending } = useKeptError(loaded);
  const [asTable, setAsTable] = useState(false);
  const title = PANEL_TITLES[part];
  const none = data && isEmpty?.(data.answer);
  return (
    <Section
      id={panelId(part)}
      title={title}
      lead={lead}
      actions={
        <>
          <Button
            size="sm"
            icon={<Table aria-hidden />}
            aria-pressed={asTable}
            aria-label={t`Table: ${title}`}
            disabled={none === true}
            onClick={() => setAsTable(!asTable)}
            className="aria-pressed:border-ink aria-pressed:bg-ink/8"
          >{t`Table`}</Button>
          {data &&
            (["csv", "json"] as const).map((format) => (
              <a
                key={format}
                href={timingsHref(part, data, format)}
                download={`timings-${part}.${format}`}
                aria-label={`${format.toUpperCase()}: ${title}`}
                className={buttonClass("quiet", "sm")}
              >
                <Download aria-hidden />
                {format.toUpperCase()}
              </a>
            ))}
        </>
      }
    >
      {controls}
      {/* That the gateway does not answer is said once, above all panels. */}
      {error && !(data && isPassing(asProblem(error).status)) && (
        <ErrorPanel
          title={data ? t`These figures may be out of date.` : t`Could not load these figures.`}
          problem={error}
          onRetry={() => refetch()}
        />
      )}
      {isPending && <Skeleton lines={lines} label={t`Loading: ${title}`} />}
      {data && (
        <div
          aria-busy={isPlaceholderData || undefined}
          className={cx("transition-opacity", isPlaceholderData && !steady && "opacity-60")}
        >
          {none ? (
            <p className="rounded-lg border border-edge/50 border-dashed px-6 py-8 text-center text-quiet text-sm">
              {empty}
            </p>
          ) : asTable ? (
            table(data.answer)
          ) : (
            children(data.answer)
          )}
        </div>
      )}
    </Section>
  );
}
