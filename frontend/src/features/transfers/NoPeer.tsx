import { Link } from "@tanstack/react-router";
import { Network } from "lucide-react";
import type { PeerShown } from "@/api/types";
import { useSession } from "@/app/session";
import { buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { listText } from "@/lib/prose";

/** Explains why there is no gateway to send to, and who can change that. */
export function NoPeer({ peers }: { peers: readonly PeerShown[] }) {
  const { has } = useSession();
  const waiting = peers.filter(({ state }) => state === "unconfirmed").map(({ name }) => name);
  const admin = has("admin");
  return (
    <EmptyState
      icon={<Network aria-hidden />}
      title="No gateway to send to"
      action={
        admin && (
          <Link to="/admin/peers" className={buttonClass("primary")}>
            {waiting.length > 0 ? "Finish the pairing" : "Pair a gateway"}
          </Link>
        )
      }
    >
      {waiting.length > 0
        ? `The pairing with ${listText(waiting)} is not confirmed. ${admin ? "Compare the code with the admin there." : "Ask an admin to compare the code."}`
        : admin
          ? "Pair this gateway with the one where your recipients are."
          : "Ask an admin to pair this gateway with the one where your recipients are."}
    </EmptyState>
  );
}
