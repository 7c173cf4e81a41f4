import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { gatewayQuery } from "@/api/gateway";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Select } from "@/components/ui/Select";
import { spanText } from "@/lib/durations";
import { type Deadline, fieldTime, SPANS_S } from "./deadline";

interface DeadlineFieldProps {
  value: Deadline;
  onValueChange: (value: Deadline) => void;
  error: string | null;
}

const OWN = "own";
const AT = "at";

/** How long the gateway tries: its own deadline, another span, or until a date and time. */
export function DeadlineField({ value, onValueChange, error }: DeadlineFieldProps) {
  const { data: gateway } = useQuery(gatewayQuery);
  const own = gateway?.deadline_s;
  const spans = SPANS_S.filter((span) => span !== own);
  const choices = [
    { value: OWN, label: own === undefined ? t`Default of this gateway` : t`${spanText(own)} (default)`, seconds: own },
    ...spans.map((span) => ({ value: String(span), label: spanText(span), seconds: span })),
  ].sort((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label={t`Give up after`}
        value={"at" in value ? AT : value.after === null ? OWN : String(value.after)}
        onValueChange={(choice) => {
          if (choice === AT) onValueChange({ at: "" });
          else onValueChange({ after: choice === OWN ? null : Number(choice) });
        }}
        choices={[...choices, { value: AT, label: t`A date and time` }]}
      />
      {"at" in value && (
        <Field label={t`Date and time`} error={error}>
          <Input
            type="datetime-local"
            value={value.at}
            min={fieldTime(new Date())}
            onChange={({ target }) => onValueChange({ at: target.value })}
          />
        </Field>
      )}
    </div>
  );
}
