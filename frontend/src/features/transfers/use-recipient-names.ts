import { useQuery } from "@tanstack/react-query";
import { recipientsQuery } from "@/api/peers";

/**
 * The names of recipients at a peer, as far as they are already loaded, otherwise their logins. It asks the peer
 * nothing.
 */
export function useRecipientNames(peer: string, logins: readonly string[]): string[] {
  const { data } = useQuery({ ...recipientsQuery(peer), enabled: false });
  return logins.map((login) => data?.find(({ name }) => name === login)?.display_name ?? login);
}
