import { plural, t } from "@lingui/core/macro";
import { useState } from "react";
import { Checkbox } from "@/components/ui/Checkbox";
import { Disclosure } from "@/components/ui/Disclosure";
import { Field } from "@/components/ui/Field";
import { Textarea } from "@/components/ui/Textarea";
import { listText } from "@/lib/prose";

/** What the author adds for the recipients. */
export interface Cover {
  readonly note: string;
  readonly readReceipts: boolean;
}

export const NO_COVER: Cover = { note: "", readReceipts: false };

/** Characters of a note, as the gateway counts them. */
const MOST_NOTE = 2000;
/** From here on the field says how many are left. */
const NEARLY = 200;

interface CoverFieldsProps {
  cover: Cover;
  onCover: (cover: Cover) => void;
  /** What is wrong with it; then the fields are shown. */
  error: string | null;
}

/** The note for the recipients, and whether the author wants to know when they open the document. */
export function CoverFields({ cover, onCover, error }: CoverFieldsProps) {
  const [open, setOpen] = useState(false);
  const left = MOST_NOTE - [...cover.note].length;
  // The note comes last: it may be cut off.
  const summary = [cover.readReceipts && t`Read receipts requested`, cover.note.trim() && `“${cover.note.trim()}”`];
  return (
    <Disclosure
      title={t`Note and read receipts`}
      summary={summary.filter(Boolean).join(", ") || t({ context: "a note", message: "None" })}
      open={open || error !== null}
      onOpenChange={setOpen}
    >
      <div className="flex flex-col gap-5 pb-2">
        <Field
          label={t`Note`}
          hint={t`Every recipient reads this note, cleared or not. It travels over the secure channel only.`}
          error={error}
        >
          <Textarea
            rows={3}
            value={cover.note}
            onChange={({ target }) => onCover({ ...cover, note: target.value })}
            className="max-h-60"
          />
        </Field>
        {left <= NEARLY && left >= 0 && (
          <p role="status" className="-mt-3 text-quiet text-sm">
            {plural(left, { one: "# character left", other: "# characters left" })}
          </p>
        )}
        <Checkbox
          checked={cover.readReceipts}
          onCheckedChange={(readReceipts) => onCover({ ...cover, readReceipts })}
          label={t`Tell me when recipients open it`}
          hint={t`Recipients see that you asked.`}
        />
      </div>
    </Disclosure>
  );
}

/** Why the documents cannot be sent with this cover, or null. `without`: chosen gateways that take no notes. */
export function coverFault({ note, readReceipts }: Cover, without: readonly string[]): string | null {
  const over = [...note].length - MOST_NOTE;
  if (over > 0) return t`The note is ${plural(over, { one: "# character", other: "# characters" })} too long.`;
  if (without.length === 0 || !(note.trim() || readReceipts)) return null;
  return without.length === 1
    ? t`${listText(without)} runs an older version without notes and read receipts. Remove both to send there.`
    : t`${listText(without)} run older versions without notes and read receipts. Remove both to send there.`;
}
