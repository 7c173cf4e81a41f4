import type { ReceivedFilters } from "@/api/received";
import { asState } from "@/features/transfers/phase";
import { startOfDay } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";

/** The filters in the address of the page. `since`: a day. */
interface Asked {
  search?: string | undefined;
  state?: string | undefined;
  peer?: string | undefined;
  author?: string | undefined;
  recipient?: string | undefined;
  since?: string | undefined;
  transfer?: string | undefined;
}

/** What to ask for among sent documents. */
export function sentFilters({ search, state, peer, author, since }: Asked) {
  return withoutEmpty({ search, state: asState(state), peer, author, since: startOfDay(since)?.toISOString() });
}

/** What to ask for among received documents. */
export function receivedFilters({ search, peer, recipient, since, transfer }: Asked): Omit<ReceivedFilters, "sort"> {
  return withoutEmpty({ search, peer, recipient, since: startOfDay(since)?.toISOString(), transfer });
}
