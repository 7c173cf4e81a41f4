import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Network } from "lucide-react";
import { peersQuery } from "@/api/peers";
import { buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { listText } from "@/lib/prose";
import { useSession } from "@/session/session";

/** Explains why there is nobody to send to, here or at another gateway, and who can change that. */
export function NoPeer() {
  const { has } = useSession();
  const { data: peers = [] } = useQuery({ ...peersQuery, staleTime: 0 });
  const waiting = peers.filter(({ state }) => state === "unconfirmed").map(({ name }) => name);
  const admin = has("admin");
  return (
    <EmptyState
      icon={<Network aria-hidden />}
      title={t`Nobody to send to`}
      action={
        admin && (
          <Link to="/admin/peers" className={buttonClass("primary")}>
            {waiting.length > 0 ? t`Finish the pairing` : t`Pair a gateway`}
          </Link>
        )
      }
    >
      {waiting.length > 0
        ? admin
          ? t`The pairing with ${listText(waiting)} is not confirmed. Compare the code with the admin there.`
          : t`The pairing with ${listText(waiting)} is not confirmed. Ask an admin to confirm it.`
        : admin
          ? t`Add people who can receive documents here, or pair this gateway with another one.`
          : t`Ask an admin to add people who can receive documents here, or to pair this gateway with another one.`}
    </EmptyState>
  );
}
