import { Link } from "@tanstack/react-router";
import { useSession } from "@/app/session";

/** The way back: to what I sent, or to everybody's. */
export function BackToList({ mine }: { mine: boolean }) {
  const { has } = useSession();
  if (mine && has("author")) {
    return (
      <Link to="/sent" className="tap">
        Sent
      </Link>
    );
  }
  return has("admin") ? (
    <Link to="/admin/transfers" className="tap">
      Transfers
    </Link>
  ) : null;
}
