import { t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp, ChevronDown, CopyPlus, EllipsisVertical, Trash2, TriangleAlert } from "lucide-react";
import { useId } from "react";
import type { PolicyRule } from "@/api/policies";
import { Badge } from "@/components/ui/Badge";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { cx } from "@/lib/cx";
import { RuleFields } from "./RuleFields";
import { GRANULARITIES, KINDS, summaryOf } from "./rules";

export type RuleAction = "up" | "down" | "copy" | "remove";

interface RuleCardProps {
  rule: PolicyRule;
  /** From 1. */
  number: number;
  count: number;
  open: boolean;
  onOpen: (open: boolean) => void;
  problems: readonly string[];
  onChange: (rule: PolicyRule) => void;
  onAction: (action: RuleAction) => void;
}

/** A rule: a summary on one line, its fields if it is open, and its problems. */
export function RuleCard({ rule, number, count, open, onOpen, problems, onChange, onAction }: RuleCardProps) {
  const fields = useId();
  const faulty = problems.length > 0;
  return (
    <li
      data-rule={number}
      className={cx("rounded-lg border bg-paper", faulty ? "border-danger/60" : "border-line")}
      aria-label={t`Rule ${number}`}
    >
      <div className="flex items-center gap-1 py-1.5 pr-2 pl-1.5">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? fields : undefined}
          onClick={() => onOpen(!open)}
          className="flex min-h-11 min-w-0 flex-1 items-center gap-3 rounded-md px-2.5 text-left hover:bg-ink/5"
        >
          <ChevronDown
            aria-hidden
            className={cx("size-4 shrink-0 text-quiet transition-transform", !open && "-rotate-90")}
          />
          <span className="w-5 shrink-0 text-right text-quiet text-sm tabular-nums">{number}</span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-serif">{summaryOf(rule)}</span>
            <span className="block truncate text-quiet text-xs">{aboutOf(rule)}</span>
          </span>
          {rule.label && (
            <Badge tone="secure" className="max-sm:hidden">
              {rule.label}
            </Badge>
          )}
          {faulty && <TriangleAlert role="img" aria-label={t`has a problem`} className="size-4 shrink-0 text-danger" />}
        </button>
        <Menu trigger={<IconButton label={t`Actions for rule ${number}`} icon={<EllipsisVertical />} size="sm" />}>
          <MenuItem icon={<ArrowUp />} disabled={number === 1} onClick={() => onAction("up")}>{t`Move up`}</MenuItem>
          <MenuItem
            icon={<ArrowDown />}
            disabled={number === count}
            onClick={() => onAction("down")}
          >{t`Move down`}</MenuItem>
          <MenuItem icon={<CopyPlus />} onClick={() => onAction("copy")}>{t`Duplicate`}</MenuItem>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} tone="danger" onClick={() => onAction("remove")}>{t`Remove`}</MenuItem>
        </Menu>
      </div>
      {faulty && (
        <ul className="flex flex-col gap-1 px-4 pb-3 text-danger text-sm sm:pl-14">
          {problems.map((says) => (
            <li key={says} className="wrap-anywhere">
              {says}
            </li>
          ))}
        </ul>
      )}
      {open && (
        <div id={fields} className="border-line border-t px-4 py-5 sm:px-6">
          <RuleFields rule={rule} onChange={onChange} />
        </div>
      )}
    </li>
  );
}

function aboutOf(rule: PolicyRule): string {
  const kind = KINDS.find(({ value }) => value === rule.kind)?.label ?? rule.kind;
  const marks = GRANULARITIES.find(({ value }) => value === rule.granularity)?.about;
  return [kind, marks, rule.reason].filter(Boolean).join(" · ");
}
