import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeTransfers } from "@/api/transfers";
import { toast, toastError } from "@/components/ui/toasts";
import { countText } from "@/lib/prose";

/** Cancels or retries several transfers, and says for how many that was possible. */
export function useTransferChanges() {
  const client = useQueryClient();
  const [pending, setPending] = useState(0);
  const change = async (ids: readonly string[], what: "cancel" | "retry"): Promise<void> => {
    setPending((count) => count + 1);
    try {
      const changed = (await changeTransfers(ids, what)).length;
      const left = ids.length - changed;
      const title = countText(changed, "transfer", "transfers") + (what === "cancel" ? " cancelled" : " retried");
      toast(changed === 0 ? NONE[what] : title, left > 0 && changed > 0 ? leftText(left, what) : undefined);
    } catch (error) {
      toastError(what === "cancel" ? "Could not cancel the transfers." : "Could not retry the transfers.", error);
    } finally {
      setPending((count) => count - 1);
      void client.invalidateQueries({ queryKey: ["transfers"] });
    }
  };
  return { change, busy: pending > 0 };
}

const NONE = {
  cancel: "None of these transfers can be cancelled any more",
  retry: "None of these transfers can be retried",
} as const;

function leftText(left: number, what: "cancel" | "retry"): string {
  if (what === "cancel") return `${countText(left, "transfer", "transfers")} could not be cancelled any more.`;
  return `${countText(left, "transfer", "transfers")} could not be retried.`;
}
