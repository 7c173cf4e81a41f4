/** People at several gateways, as the send dialog offers them. */
import { t } from "@lingui/core/macro";
import type { RecipientNamed } from "@/api/recipients";
import type { RecipientShown } from "@/api/types";

/** A person who can receive at a gateway (`peer`). */
export interface Recipient extends RecipientShown {
  peer: string;
  /** Whether that is this gateway itself. */
  isOwn: boolean;
}

/** Identifies a person among those of all gateways. */
export const keyOf = ({ peer, name }: RecipientNamed) => `${peer}/${name}`;

/** A chosen person whom the list of their gateway does not name: no longer, or not yet. */
export interface Unlisted extends RecipientNamed {
  display_name: string;
}

/** The person that a key names. */
export function namedBy(key: string): RecipientNamed {
  const [peer = "", name = ""] = key.split("/");
  return { peer, name };
}

/** Those of the chosen `keys` whom no list names. `named`: people whose names are known from elsewhere. */
export function unlistedOf(
  keys: readonly string[],
  people: readonly Recipient[],
  named: readonly Unlisted[],
): Unlisted[] {
  const listed = new Set(people.map(keyOf));
  return keys
    .filter((key) => !listed.has(key))
    .map((key) => {
      const { peer, name } = namedBy(key);
      return named.find((one) => keyOf(one) === key) ?? { peer, name, display_name: name };
    });
}

/**
 * The people in the order in which they are offered: those used last, those at this gateway, those at gateways used
 * last, then by name.
 */
export function byLastUse(people: readonly Recipient[], recent: readonly RecipientNamed[]): Recipient[] {
  const rankOf = new Map(recent.map((one, rank) => [keyOf(one), rank]));
  const peers = [...new Set(recent.map(({ peer }) => peer))];
  const peerRank = (peer: string) => (peers.includes(peer) ? peers.indexOf(peer) : peers.length);
  const rank = (one: Recipient) => rankOf.get(keyOf(one)) ?? recent.length;
  return [...people].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(b.isOwn) - Number(a.isOwn) ||
      peerRank(a.peer) - peerRank(b.peer) ||
      a.peer.localeCompare(b.peer) ||
      a.display_name.localeCompare(b.display_name) ||
      a.name.localeCompare(b.name),
  );
}

/** "bruno · Harbour office · bravo": what tells apart people of one name. */
export function detailOf({ name, unit, peer, isOwn }: Recipient): string {
  return [name, unit, isOwn ? t`This gateway` : peer].filter(Boolean).join(" · ");
}

const folded = ({ display_name }: Recipient) => display_name.trim().toLowerCase();

/** Those whose name another person has, too. */
export function namesakes(people: readonly Recipient[]): Recipient[] {
  const counts = new Map<string, number>();
  for (const one of people) counts.set(folded(one), (counts.get(folded(one)) ?? 0) + 1);
  return people.filter((one) => (counts.get(folded(one)) ?? 0) > 1);
}

/** "Harbour office": the first of unit, login and gateway that no namesake shares; null without a namesake. */
export function tellsApart(one: Recipient, people: readonly Recipient[]): string | null {
  const others = people.filter((other) => folded(other) === folded(one) && keyOf(other) !== keyOf(one));
  if (others.length === 0) return null;
  if (one.unit && others.every(({ unit }) => unit !== one.unit)) return one.unit;
  return others.every(({ name }) => name !== one.name) ? one.name : one.isOwn ? t`This gateway` : one.peer;
}

/** A warning for each name of `shown` that several of the `people` have. */
export function sameNameWarnings(shown: readonly Recipient[], people: readonly Recipient[]): string[] {
  const same = namesakes(people);
  const names = new Map(shown.map((one) => [folded(one), one.display_name]));
  return [...names]
    .map(([name, shownName]) => ({ shownName, count: same.filter((one) => folded(one) === name).length }))
    .filter(({ count }) => count > 1)
    .map(({ shownName, count }) =>
      count === 2
        ? t`Two people are named ${shownName}. Check that you choose the right one.`
        : t`${count} people are named ${shownName}. Check that you choose the right one.`,
    );
}

/** The logins at each gateway, in the order in which the gateways were first chosen. */
export function destinationsOf(chosen: readonly RecipientNamed[]): { peer: string; recipients: string[] }[] {
  const peers = [...new Set(chosen.map(({ peer }) => peer))];
  return peers.map((peer) => ({
    peer,
    recipients: chosen.filter((one) => one.peer === peer).map(({ name }) => name),
  }));
}
