import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { LocateFixed, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { type FindingShown, MOST_REASON } from "@/api/findings";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Field } from "@/components/ui/Field";
import { IconButton } from "@/components/ui/IconButton";
import { Textarea } from "@/components/ui/Textarea";
import { numberText } from "@/lib/numbers";
import { commonRisk, groupFindings, KIND_WORD, NAME_ADDRESS, RISK_WORD, type Risk, riskOf } from "./findings";
import type { CheckedDraft } from "./use-leak-checks";

const FIRST_SHOWN = 4;
const MOST_SHOWN = 200;

interface OpenFindingsProps {
  /** The documents that have findings; at least one. */
  found: readonly CheckedDraft[];
  /** How many documents will be sent. */
  of: number;
  /** Whether nothing of this document travels plain. */
  nothingPlain: (draft: DraftShown) => boolean;
  /** The findings have changed since the author reviewed them. */
  changed: boolean;
  reason: string;
  onReason: (reason: string) => void;
  /** The author tried to send without a reason, or although the gateway forbids it. */
  missing: boolean;
  /** Shows the finding in the document; null if this page cannot. */
  onShow: ((finding: FindingShown) => void) | null;
}

/** The findings of the leak check, and a field for the reason to send anyway. */
export function OpenFindings(props: OpenFindingsProps) {
  const { found, of, nothingPlain, changed, reason, onReason, missing, onShow } = props;
  const count = found.reduce((sum, { checked }) => sum + checked.count, 0);
  const risks = new Set(
    found.map(({ draft, checked }) => commonRisk(groupFindings(checked.findings), nothingPlain(draft))),
  );
  const [risk = null] = risks.size === 1 ? risks : [];
  const forbidden = found.some(({ checked }) => checked.rule === "forbid");
  return (
    <section
      aria-labelledby="open-findings"
      data-fault={missing || undefined}
      className="flex gap-3 rounded-md border border-plain-edge border-dashed bg-plain-ground px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <div>
          <h3 id="open-findings" className="font-medium">
            {of > 1 ? `${titleText(count, risk)}${t`, in ${found.length} of ${of} documents`}` : titleText(count, risk)}
          </h3>
          {changed && <p>{t`The findings have changed. Review them again.`}</p>}
        </div>
        {found.map((document) => (
          <Findings
            key={document.draft.id}
            document={document}
            nothingPlain={nothingPlain(document.draft)}
            named={of > 1}
            risk={risk}
            onShow={onShow}
          />
        ))}
        {forbidden ? (
          <p role={missing ? "alert" : undefined} className={missing ? "text-danger" : "font-medium"}>
            {of > 1
              ? t`This gateway does not send documents with open findings. Go back and mark what they point to, or remove the documents that have them.`
              : t`This gateway does not send documents with open findings. Go back and mark what they point to.`}
          </p>
        ) : (
          <Field
            label={of > 1 ? t`Reason for sending them anyway` : t`Reason for sending it anyway`}
            hint={t`Admins can read this in the audit log.`}
            error={missing ? t`Enter a reason, or go back and mark what the findings point to.` : null}
          >
            <Textarea
              rows={2}
              className="min-h-16"
              maxLength={MOST_REASON}
              value={reason}
              onChange={({ target }) => onReason(target.value)}
            />
          </Field>
        )}
      </div>
    </section>
  );
}

function titleText(count: number, risk: Risk | null): string {
  const findings = plural(count, { one: "# finding", other: "# findings" });
  if (risk === "plain") return t`${findings} in the plain part`;
  if (risk === "edition") return t`${findings} in the redacted edition`;
  return t`${findings} in the plain part or the redacted edition`;
}

interface FindingsProps {
  document: CheckedDraft;
  nothingPlain: boolean;
  /** It is one of several, so show its name. */
  named: boolean;
  /** That of all findings; null if it differs. */
  risk: Risk | null;
  onShow: ((finding: FindingShown) => void) | null;
}

/** The findings of one document. */
function Findings({ document: { draft, checked }, nothingPlain, named, risk, onShow }: FindingsProps) {
  const groups = groupFindings(checked.findings);
  const [all, setAll] = useState(false);
  const shown = groups.slice(0, all ? MOST_SHOWN : FIRST_SHOWN);
  const hidden = groups.length - shown.length;
  const showAll = () => {
    setAll(true);
    announce(t`Showing ${plural(Math.min(groups.length, MOST_SHOWN), { one: "# finding", other: "# findings" })}.`);
  };
  return (
    // Focusable, because the button that extends the list disappears.
    <div tabIndex={-1} className="flex flex-col gap-2 outline-none">
      {named && (
        <p className="wrap-anywhere font-medium">
          <Link to="/documents/$id" params={{ id: draft.id }}>
            {draft.name}
          </Link>
        </p>
      )}
      <ul
        aria-label={named ? t`Findings in ${draft.name}` : t`Findings`}
        className="-mr-2 flex max-h-64 flex-col overflow-y-auto"
      >
        {shown.map(({ first, all: same }) => (
          <li key={first.id} className="flex items-start gap-2 border-plain-edge/30 border-t py-2 first:border-t-0">
            <div className="min-w-0 flex-1">
              <p className="wrap-anywhere">
                {first.says}
                {same.length > 1 && ` ${t`(${numberText(same.length)} places)`}`}
              </p>
              <p className="wrap-anywhere text-quiet text-xs">
                {risk === null && `${RISK_WORD[riskOf(same, nothingPlain)]} · `}
                {KIND_WORD[first.kind] ?? first.kind}
                {first.excerpt && (
                  <>
                    {" · "}
                    <span className="font-serif text-sm">{first.excerpt}</span>
                  </>
                )}
              </p>
            </div>
            {onShow && first.start !== null && first.address !== NAME_ADDRESS && (
              <IconButton
                label={t`Show ${first.says}`}
                icon={<LocateFixed />}
                size="sm"
                side="left"
                onClick={() => onShow(first)}
              />
            )}
          </li>
        ))}
      </ul>
      {hidden > 0 && !all && (
        <Button
          size="sm"
          className="self-start"
          onClick={showAll}
        >{t`Show ${numberText(Math.min(hidden, MOST_SHOWN))} more`}</Button>
      )}
      {all && (hidden > 0 || checked.more) && <p className="text-quiet">{t`There are more. Fix these first.`}</p>}
    </div>
  );
}
