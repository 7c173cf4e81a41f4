import { t } from "@lingui/core/macro";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/Button";
import { Input } from "@/components/ui/Input";

interface LeaveFindingFormProps {
  /** The text that is left as it is. */
  written: string;
  onLeave: (reason: string) => void;
  onCancel: () => void;
}

/** Asks why a finding is left as it is. The send dialog shows the reason. */
export function LeaveFindingForm({ written, onLeave, onCancel }: LeaveFindingFormProps) {
  const [reason, setReason] = useState("");
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
      <Input
        ref={input}
        aria-label={t`Why “${written}” can stay plain`}
        placeholder={t`Why can it stay plain?`}
        maxLength={200}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        autoComplete="off"
      />
      <div className="flex gap-2">
        <Button size="sm" type="submit" tone="primary">
          {t`Leave it`}
        </Button>
        <Button size="sm" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}
