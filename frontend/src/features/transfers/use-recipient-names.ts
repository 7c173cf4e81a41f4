import { useQuery } from "@tanstack/react-query";
import { recipientsQuery } from "@/api/peers";

/**
 * What recipients at a peer are called, as far as this page has heard: a peer is not asked, and perhaps away, only to
 * show a name. By their logins where it has not.
 */
export function useRecipientNames(peer: string, logins: readonly string[]): string[] {
  const { data } = useQuery({ ...recipientsQuery(peer), enabled: false });
  return logins.map((login) => data?.find(({ name }) => name === login)?.display_name ?? login);
}
