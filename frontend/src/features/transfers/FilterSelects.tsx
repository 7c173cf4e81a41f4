import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { gatewayQuery } from "@/api/gateway";
import { peersQuery } from "@/api/peers";
import type { TransferState } from "@/api/types";
import { Select } from "@/components/ui/Select";
import { STATE_WORD, STATES } from "./phase";

const ANY = "";

/** Only those in one state. */
export function StateFilter({
  value,
  onValueChange,
}: {
  value: TransferState | undefined;
  onValueChange: (state: TransferState | undefined) => void;
}) {
  return (
    <Select<TransferState | typeof ANY>
      label={t`State`}
      labelHidden
      className="w-full sm:w-40"
      value={value ?? ANY}
      onValueChange={(state) => onValueChange(state === ANY ? undefined : state)}
      choices={[
        { value: ANY, label: t`Any state` },
        ...STATES.map((state) => ({ value: state, label: STATE_WORD[state] })),
      ]}
    />
  );
}

/** Only those to one gateway: this one, or a peer, which may have been removed since. */
export function PeerFilter({
  value,
  onValueChange,
}: {
  value: string | undefined;
  onValueChange: (peer: string | undefined) => void;
}) {
  const own = useQuery(gatewayQuery).data?.name;
  const peers = useQuery(peersQuery).data?.map(({ name }) => name) ?? [];
  const names = own === undefined ? peers : [own, ...peers];
  const known = value === undefined || names.includes(value) ? names : [...names, value];
  return (
    <Select
      label={t`Peer`}
      labelHidden
      className="w-full sm:w-40"
      value={value ?? ANY}
      onValueChange={(name) => onValueChange(name === ANY ? undefined : name)}
      choices={[{ value: ANY, label: t`Any peer` }, ...known.map((name) => ({ value: name, label: name }))]}
    />
  );
}
