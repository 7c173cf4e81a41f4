import { t } from "@lingui/core/macro";
import { useEffect, useRef } from "react";
import { Button } from "@/components/ui/Button";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";

interface LeaveFindingFormProps {
  /** Asks for the reason: "Why the 2 findings can stay plain". */
  label: string;
  /** The button that leaves it. */
  action: string;
  reason: string;
  onReason: (reason: string) => void;
  onLeave: (reason: string) => void;
  onCancel: () => void;
}

/** Asks why a finding is left as it is. The send dialog shows the reason. */
export function LeaveFindingForm({ label, action, reason, onReason, onLeave, onCancel }: LeaveFindingFormProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onLeave(reason.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <Field label={label} className="wrap-anywhere">
        <Input
          ref={input}
          maxLength={200}
          value={reason}
          onChange={({ target }) => onReason(target.value)}
          autoComplete="off"
        />
      </Field>
      <div className="flex gap-2">
        <Button size="sm" type="submit" tone="primary">
          {action}
        </Button>
        <Button size="sm" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}
