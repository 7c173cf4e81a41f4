import { useQuery } from "@tanstack/react-query";
import { EyeOff, Lock } from "lucide-react";
import { useMemo } from "react";
import { directoryQuery } from "@/api/peers";
import type { RecipientShown } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { MultiCombobox } from "@/components/ui/MultiCombobox";
import { Skeleton } from "@/components/ui/Skeleton";
import { capitalised } from "@/lib/prose";
import { absoluteText } from "@/lib/times";
import { useSlow } from "./use-slow";

interface RecipientsFieldProps {
  peer: string;
  value: readonly string[];
  onValueChange: (logins: string[]) => void;
  error: string | null;
}

/** Chooses recipients from those that the peer offers. */
export function RecipientsField({ peer, value, onValueChange, error }: RecipientsFieldProps) {
  const {
    data,
    error: loadError,
    isFetching,
    refetch,
  } = useQuery({
    ...directoryQuery(peer),
    // A timeout is long enough; the author decides whether to retry.
    retry: false,
  });
  const slow = useSlow(isFetching && !data);
  const choices = useMemo(() => data?.recipients.map(choiceOf) ?? [], [data]);
  if (loadError && !isFetching && !data) {
    return (
      <ErrorPanel
        title={`Could not load the recipients at ${peer}.`}
        problem={loadError}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) {
    return (
      <div role="status" className="flex flex-col gap-2 text-sm">
        <span className="text-quiet">Loading recipients at {peer}…</span>
        {slow ? (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
            It is slow to respond and may be down.
            <Button size="sm" onClick={() => void refetch()}>
              Try again
            </Button>
          </span>
        ) : (
          <Skeleton lines={1} />
        )}
      </div>
    );
  }
  if (data.recipients.length === 0) {
    return (
      <p className="text-sm">
        {capitalised(peer)} has no recipients yet.{" "}
        <span className="text-quiet">An admin there needs to add people.</span>
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <MultiCombobox
        label="Recipients"
        placeholder="Type a name"
        choices={choices}
        value={value}
        onValueChange={onValueChange}
        error={error}
        empty={`No matching recipients at ${peer}`}
      />
      {data.as_of !== null && <KeptDirectory peer={peer} asOf={data.as_of} />}
    </div>
  );
}

/** Says that the peer does not answer, and how old its list of recipients is. */
function KeptDirectory({ peer, asOf }: { peer: string; asOf: string }) {
  return (
    <p role="status" className="wrap-anywhere text-quiet text-sm">
      {capitalised(peer)} does not answer. This list is from {absoluteText(new Date(asOf))}. You can send now: the
      document leaves when {peer} is back.
    </p>
  );
}

function choiceOf({ name, display_name, cleared }: RecipientShown) {
  return {
    value: name,
    label: display_name,
    note: cleared ? (
      <Badge tone="secure" icon={<Lock aria-hidden />}>
        Cleared
      </Badge>
    ) : (
      <Badge tone="quiet" icon={<EyeOff aria-hidden />}>
        Not cleared
      </Badge>
    ),
  };
}
