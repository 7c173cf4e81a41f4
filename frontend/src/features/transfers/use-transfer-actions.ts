import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { asProblem, Problem } from "@/api/problem";
import { cancelTransfer, requeueTransfer, transferQuery } from "@/api/transfers";
import type { TransferShown, TransferWhole } from "@/api/types";
import { announce } from "@/components/announce";
import { capitalised } from "@/lib/prose";
import { isOver } from "./phase";

/** What its author does to a transfer that is under way, and what became of it. */
export function useTransferActions(transfer: TransferWhole) {
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
      announce("Retrying now");
      return take(shown);
    },
    onError: () => client.invalidateQueries({ queryKey: ["transfers"] }),
  });
  const refusal = cancel.error;
  const notice = noticeOf(refusal, cancelAsked, transfer);
  useEffect(() => {
    if (notice) announce(notice);
  }, [notice]);
  return {
    cancel,
    tryNow,
    /** The gateway ends it; the peer is told first. */
    cancelling: cancelAsked && !isOver(transfer.state),
    /** That the wish came too late. */
    notice,
    /** Why the wish could not be heard. */
    cancelProblem: refusal && !isTooLate(refusal) ? asProblem(refusal) : null,
    isTooLate,
  };
}

/** It is in a state that does not allow it any more. */
function isTooLate(error: Error): boolean {
  return error instanceof Problem && error.status === 409;
}

function noticeOf(refusal: Error | null, cancelAsked: boolean, { state, peer }: TransferShown): string | null {
  if (refusal && isTooLate(refusal)) return `Too late to cancel. ${asProblem(refusal).detail}`;
  return cancelAsked && state === "delivered"
    ? `Too late to cancel. ${capitalised(peer)} already had the whole document.`
    : null;
}
