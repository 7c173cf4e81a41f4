import { useQuery } from "@tanstack/react-query";
import { transferQuery } from "@/api/transfers";
import { useLiveState } from "@/session/live";
import { useSession } from "@/session/session";
import { isOver } from "./phase";

const POLL_MS = 2_000;

/** One transfer, kept up to date: by events if it is mine, otherwise by polling. */
export function useTransfer(id: string) {
  const { person } = useSession();
  const live = useLiveState() === "live";
  return useQuery({
    ...transferQuery(id),
    refetchInterval: ({ state: { data } }) => {
      if (!data || isOver(data.state)) return false;
      // No event says that others have gone first.
      if (live && data.author === person.name && !data.ahead) return false;
      return POLL_MS;
    },
  });
}
