import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { asProblem, Problem } from "@/api/problem";
import { cancelTransfer, requeueTransfer, transferQuery } from "@/api/transfers";
import type { TransferShown, TransferWhole } from "@/api/types";
import { announce } from "@/components/announce";
import { isOver } from "./phase";

/** What its author does to a transfer that is under way, and what became of it. */
export function useDeeds(transfer: TransferWhole) {
  const client = useQueryClient();
  const [cancelAsked, setCancelAsked] = useState(false);
  const { queryKey } = transferQuery(transfer.id);
  const take = (shown: TransferShown) => {
    client.setQueryData(queryKey, (before) => before && { ...before, ...shown });
    return client.invalidateQueries({ queryKey: ["transfers"] });
  };
  const cancel = useMutation({
    mutationFn: () => cancelTransfer(transfer.id),
    onSuccess: (shown) => {
      setCancelAsked(true);
      return take(shown);
    },
    // It is in another state than this page thought.
    onError: () => client.invalidateQueries({ queryKey: ["transfers"] }),
  });
  const tryNow = useMutation({
    mutationFn: () => requeueTransfer(transfer.id),
    onSuccess: (shown) => {
      setCancelAsked(false);
      cancel.reset();
      announce("It is tried now");
      return take(shown);
    },
    onError: () => client.invalidateQueries({ queryKey: ["transfers"] }),
  });
  const refusal = cancel.error && asProblem(cancel.error);
  const tooLate = refusal?.status === 409 || (cancelAsked && transfer.state === "delivered");
  useEffect(() => {
    if (tooLate) announce("It was too late to cancel");
  }, [tooLate]);
  return {
    cancel,
    tryNow,
    /** The gateway ends it; the peer is told first. */
    cancelling: cancelAsked && !isOver(transfer.state),
    tooLate,
    /** Why the wish could not be heard at all; being too late is no failure. */
    cancelProblem: refusal instanceof Problem && refusal.status !== 409 ? refusal : null,
  };
}
