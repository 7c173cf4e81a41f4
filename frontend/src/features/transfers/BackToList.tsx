import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useSession } from "@/session/session";

/** A link back to the list: of my own transfers, or of all for an admin. */
export function BackToList({ mine }: { mine: boolean }) {
  const { has } = useSession();
  if (mine && has("author")) {
    return <Link to="/sent" className="tap">{t`Sent`}</Link>;
  }
  return has("admin") ? <Link to="/admin/transfers" className="tap">{t`Transfers`}</Link> : null;
}
