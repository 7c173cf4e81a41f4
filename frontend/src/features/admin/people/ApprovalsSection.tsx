import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApprovalShown, agree, approvalsQuery, refuse } from "@/api/approvals";
import { peopleQuery } from "@/api/people";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { toast } from "@/components/ui/toasts";

type Answer = "agree" | "refuse" | "withdraw";
type Approval = Omit<ApprovalShown, "asked_by">;

/** What waits for a second admin, with the choice to agree, refuse, or withdraw one's own. Nothing if nothing waits. */
export function ApprovalsSection() {
  const approvals = useQuery(approvalsQuery);
  const [asking, setAsking] = useState<{ approval: Approval; answer: Answer } | null>(null);
  const { confirmed, dialog: confirmation } = useConfirmed();
  if (!approvals.data || approvals.data.waiting.length === 0) return null;
  const { waiting, other_admins } = approvals.data;
  return (
    <div className="mb-8">
      <Section
        title={t`Waiting for a second admin`}
        lead={
          other_admins === 0
            ? t`There is no other admin here who can agree. The operator of the gateway’s machine can: sieve admin confirm LOGIN.`
            : t`Agree only if the person told you themselves, by another way than this gateway, that it is them.`
        }
      >
        <ul className="flex flex-col divide-y divide-line border-line border-y">
          {waiting.map(({ asked_by: admin, ...approval }) => (
            <li key={approval.id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-3">
              <div className="min-w-0 flex-1 basis-72 text-sm">
                <p className="wrap-anywhere">{whatText(approval)}</p>
                <p className="text-quiet">
                  {admin === null ? (
                    <Trans>
                      Two admins must agree, since <RelativeTime at={approval.asked_at} />
                    </Trans>
                  ) : (
                    <Trans>
                      Asked by {admin}, <RelativeTime at={approval.asked_at} />
                    </Trans>
                  )}
                </p>
              </div>
              <span className="flex gap-2">
                {approval.may_withdraw && (
                  <Button
                    aria-label={t`Withdraw for ${{ name: approval.person_name }}`}
                    onClick={() => setAsking({ approval, answer: "withdraw" })}
                  >
                    <Trans>Withdraw</Trans>
                  </Button>
                )}
                {approval.may_refuse && !approval.may_withdraw && (
                  <Button
                    tone="danger"
                    aria-label={t`Refuse for ${{ name: approval.person_name }}`}
                    onClick={() => setAsking({ approval, answer: "refuse" })}
                  >
                    <Trans>Refuse</Trans>
                  </Button>
                )}
                {approval.may_agree && (
                  <Button
                    tone="primary"
                    aria-label={t`Agree for ${{ name: approval.person_name }}`}
                    onClick={() => confirmed(() => setAsking({ approval, answer: "agree" }))}
                  >
                    <Trans>Agree</Trans>
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
        {confirmation}
        {asking && <AnswerDialog {...asking} onClose={() => setAsking(null)} />}
      </Section>
    </div>
  );
}

function AnswerDialog({ approval, answer, onClose }: { approval: Approval; answer: Answer; onClose: () => void }) {
  const client = useQueryClient();
  const name = approval.person_name;
  const answering = useMutation({
    mutationFn: () => (answer === "agree" ? agree(approval.id) : refuse(approval.id)),
    onSuccess: () => {
      if (answer === "refuse") toast(t`Refused`);
      else if (answer === "withdraw") toast(t`Withdrawn`);
      else toast(t`Agreed`, approval.enough ? undefined : t`Another admin must agree, too.`);
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: approvalsQuery.queryKey }),
        client.invalidateQueries({ queryKey: peopleQuery.queryKey }),
      ]),
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={titleText(answer, name)}
      confirm={BUTTONS[answer]}
      tone={answer === "agree" ? "primary" : "danger"}
      action={answering}
      onConfirm={() => answering.mutate(undefined, { onSuccess: onClose })}
    >
      {answer === "agree" ? agreeText(approval) : refuseText(approval)}
    </ConfirmDialog>
  );
}

const BUTTONS: Readonly<Record<Answer, string>> = { agree: t`Agree`, refuse: t`Refuse`, withdraw: t`Withdraw` };

function titleText(answer: Answer, name: string): string {
  if (answer === "agree") return t`Agree for ${name}?`;
  return answer === "refuse" ? t`Refuse for ${name}?` : t`Withdraw the request for ${name}?`;
}

function whatText({ kind, person, person_name: name }: Approval): string {
  switch (kind) {
    case "clearance":
      return t`${name} (${person}) is cleared; also for documents that arrived earlier?`;
    case "reset":
      return t`Somebody got a new way into the account of ${name} (${person}); unlock what it received and wrote before?`;
    default:
      return t`${name} (${person}) is a new admin; count them as a second admin?`;
  }
}

function agreeText({ kind, person_name: name }: Approval): string {
  switch (kind) {
    case "clearance":
      return t`${name} will read the classified content of all documents that they received, also the earlier ones.`;
    case "reset":
      return t`The person who uses the account now will read everything in it. First ask ${name} in person whether it is them.`;
    default:
      return t`${name} will be able to agree to what waits here. First make sure that the account belongs to another person than the admin who made it.`;
  }
}

function refuseText({ kind, person_name: name }: Approval): string {
  switch (kind) {
    case "clearance":
      return t`${name} stays cleared for documents that arrived later.`;
    case "reset":
      return t`The sessions, tokens and password of ${name} end at once, and so do second factors that were added since. Everything stays locked.`;
    default:
      return t`${name} stays an admin who cannot agree to what waits here.`;
  }
}
