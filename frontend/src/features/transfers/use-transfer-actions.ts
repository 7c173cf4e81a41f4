import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { asProblem, Problem } from "@/api/problem";
import { cancelTransfer, requeueTransfer, transferQuery } from "@/api/transfers";
import type { TransferShown, TransferWhole } from "@/api/types";
import { announce } from "@/components/announce";
import { capitalised } from "@/lib/prose";
import { isOver } from "./phase";

/** What an author can do to a transfer in progress, and the results. */
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
    // The transfer has changed state since it was loaded.
    onError: () => client.invalidateQueries({ queryKey: ["transfers"] }),
  });
  const tryNow = useMutation({
    mutationFn: () => requeueTransfer(transfer.id),
    onSuccess: (shown) => {
      setCancelAsked(false);
      cancel.reset();
      announce(t`Retrying now`);
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
    /** The gateway is cancelling the transfer, and tells the peer first. */
    cancelling: cancelAsked && !isOver(transfer.state),
    /** Says that it was too late to cancel; null otherwise. */
    notice,
    /** Why it could not be cancelled, unless it was too late. */
    cancelError: refusal && !isTooLate(refusal) ? refusal : null,
    isTooLate,
  };
}

/** The transfer's state no longer allows it. */
function isTooLate(error: Error): boolean {
  return error instanceof Problem && error.status === 409;
}

function noticeOf(refusal: Error | null, cancelAsked: boolean, { state, peer }: TransferShown): string | null {
  if (refusal && isTooLate(refusal)) return t`Too late to cancel. ${asProblem(refusal).detail}`;
  return cancelAsked && state === "delivered"
    ? t`Too late to cancel. ${capitalised(peer)} already had the whole document.`
    : null;
}
