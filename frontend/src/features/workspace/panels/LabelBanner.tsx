import { t } from "@lingui/core/macro";
import { ArrowUp, Undo2 } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { MOST_REASON } from "@/api/findings";
import type { DraftLabelled, LabelSetShown } from "@/api/labels";
import { WhatIsThis } from "@/components/help/WhatIsThis";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { Select } from "@/components/ui/Select";
import { Textarea } from "@/components/ui/Textarea";
import { Swatch } from "./Swatch";

/** The banner to set; null: the highest label of the document, its floor. */
export interface BannerChange {
  readonly banner: { readonly name: string | null; readonly reason: string };
}

/** Of a text or of a file. */
export interface BannerLabels {
  readonly set: LabelSetShown;
  /** The labels of the latest save; null until they are loaded. */
  readonly draft: DraftLabelled | null;
  readonly change: (change: BannerChange) => void;
  /** A change that would lower the banner and waits for a reason; null if there is none. */
  readonly lowering: object | null;
  readonly lower: (reason: string) => void;
  readonly giveUp: () => void;
}

/** The label of the document as a whole: the highest of its labels, or a higher one with a reason. */
export function LabelBanner({ labels }: { labels: BannerLabels | null }) {
  const [raising, setRaising] = useState(false);
  if (!labels) return null;
  const { draft, set } = labels;
  const { banner = null, floor = null, banner_text = null, compilation_reason = null } = draft ?? {};
  const rank = rankOf(labels, floor);
  const higher = set.labels.filter((label) => label.rank > rank);
  const raised = banner !== null && banner !== floor;
  return (
    <>
      {banner !== null && (
        <section
          aria-label={t`Banner`}
          className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-secure-edge bg-secure-ground px-4 py-2 text-sm"
        >
          <span className="flex items-center gap-2 font-medium text-secure">
            <Swatch colour={set.labels.find(({ name }) => name === banner)?.colour ?? null} />
            {banner_text}
            <WhatIsThis term="banner" />
          </span>
          <span className="wrap-anywhere min-w-0 flex-1 max-sm:order-last max-sm:basis-full">
            {raised ? whyRaised(floor, compilation_reason) : t`The highest label in the document.`}
          </span>
          {raised && (
            <Button
              size="sm"
              className="max-sm:ml-auto"
              icon={<Undo2 aria-hidden />}
              onClick={() => labels.change({ banner: { name: null, reason: "" } })}
            >
              {floor === null ? t`Lower to nothing` : t`Lower to ${floor}`}
            </Button>
          )}
          {higher.length > 0 && !raised && (
            <Button
              size="sm"
              className="max-sm:ml-auto"
              icon={<ArrowUp aria-hidden />}
              onClick={() => setRaising(true)}
            >
              {t`Raise`}
            </Button>
          )}
        </section>
      )}
      {raising && (
        <RaiseDialog
          names={higher.map(({ name }) => name)}
          onClose={() => setRaising(false)}
          onRaise={(name, reason) => {
            setRaising(false);
            labels.change({ banner: { name, reason } });
          }}
        />
      )}
      {labels.lowering && <LowerDialog onClose={labels.giveUp} onLower={labels.lower} />}
    </>
  );
}

/** Without a reason nobody raised it: the label it came from is gone, and the banner is never lowered silently. */
function whyRaised(floor: string | null, reason: string | null): string {
  if (reason) return floor === null ? t`Raised from nothing: ${reason}` : t`Raised from ${floor}: ${reason}`;
  return floor === null
    ? t`Kept from before: the labels now require nothing.`
    : t`Kept from before: the labels now require ${floor}.`;
}

function rankOf({ set }: BannerLabels, name: string | null): number {
  return set.labels.find((label) => label.name === name)?.rank ?? Number.NEGATIVE_INFINITY;
}

interface RaiseDialogProps {
  names: readonly string[];
  onClose: () => void;
  onRaise: (name: string, reason: string) => void;
}

/** Raises the banner above the labels, with a reason. */
function RaiseDialog({ names, onClose, onRaise }: RaiseDialogProps) {
  const [name, setName] = useState(names[0] ?? "");
  return (
    <ReasonDialog
      title={t`Raise the banner`}
      description={t`The document as a whole may need a higher label than any of its parts.`}
      label={t`Why the whole document needs a higher label`}
      action={t`Raise`}
      onClose={onClose}
      onReason={(reason) => onRaise(name, reason)}
    >
      <Select
        label={t`Banner`}
        value={name}
        onValueChange={setName}
        choices={names.map((one) => ({ value: one, label: one }))}
      />
    </ReasonDialog>
  );
}

/** Nothing is lowered silently. */
function LowerDialog({ onClose, onLower }: { onClose: () => void; onLower: (reason: string) => void }) {
  return (
    <ReasonDialog
      title={t`Lower the banner?`}
      description={t`The banner would be lower than before. Your reason is kept in the audit log, which admins can read.`}
      label={t`Why it can be lowered`}
      action={t`Lower`}
      onClose={onClose}
      onReason={onLower}
    />
  );
}

interface ReasonDialogProps {
  title: string;
  description: string;
  label: string;
  action: string;
  onClose: () => void;
  onReason: (reason: string) => void;
  children?: React.ReactNode;
}

function ReasonDialog({ title, description, label, action, onClose, onReason, children }: ReasonDialogProps) {
  const form = useId();
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() !== "") onReason(reason.trim());
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      description={description}
      width="sm"
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" form={form} tone="primary" disabled={reason.trim() === ""}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-5">
        {children}
        <Field label={label}>
          <Textarea
            rows={2}
            maxLength={MOST_REASON}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}
