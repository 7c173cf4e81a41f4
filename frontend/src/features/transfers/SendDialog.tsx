import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { EyeOff, Send } from "lucide-react";
import { useState } from "react";
import { peersQuery, recipientsQuery } from "@/api/peers";
import { type Mode, sendDocument, transferQuery } from "@/api/transfers";
import type { DraftShown, PeerShown } from "@/api/types";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { type RadioChoice, RadioGroup } from "@/components/ui/RadioGroup";
import { Skeleton } from "@/components/ui/Skeleton";
import { ChannelSplit } from "./ChannelSplit";
import { NoPeer } from "./NoPeer";
import { PeerField } from "./PeerField";
import { ReadableWarning } from "./ReadableWarning";
import { RecipientsField } from "./RecipientsField";
import { allReadable, travelOf } from "./travel";
import { unclearedNotes } from "./uncleared";
import { MODE_NAME } from "./words";

const MODES: readonly RadioChoice<Mode>[] = [
  {
    value: "sieve",
    label: MODE_NAME.sieve,
    hint: "What is classified goes encrypted; the rest goes in the clear, which is faster.",
  },
  { value: "secure-only", label: MODE_NAME["secure-only"], hint: "Everything goes encrypted." },
];

interface SendDialogProps {
  /** As it is saved: what is sent is this save. */
  draft: DraftShown;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** To whom, and how; then to the page where the transfer can be watched. What was chosen stays while it is closed. */
export function SendDialog({ draft, open, onOpenChange }: SendDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const peers = useQuery({ ...peersQuery, enabled: open });
  const active = peers.data?.filter(({ state }) => state === "active") ?? [];
  const [chosenPeer, setPeer] = useState<string | null>(null);
  const peer = peerOf(active, chosenPeer, draft);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [mode, setMode] = useState<Mode>("sieve");
  const [sure, setSure] = useState(false);
  const [tried, setTried] = useState(false);
  // Only what the field below has loaded: a peer that does not answer is asked by it alone.
  const known = useQuery({ ...recipientsQuery(peer ?? ""), enabled: false }).data ?? [];
  const recipients = known.filter(({ name }) => chosen.includes(name));
  const travel = travelOf(draft, mode);
  const readable = allReadable(travel);
  const notes = unclearedNotes(recipients, draft);

  const sending = useMutation({
    mutationFn: (to: string) =>
      sendDocument({
        document_id: draft.document_id,
        peer: to,
        recipients: recipients.map(({ name }) => name),
        mode,
      }),
    onSuccess: async (sent) => {
      client.setQueryData(transferQuery(sent.id).queryKey, { ...sent, attempts: [] });
      for (const key of ["transfers", "drafts"]) void client.invalidateQueries({ queryKey: [key] });
      announce(`${draft.name} is on its way to ${sent.peer}`);
      onOpenChange(false);
      await navigate({ to: "/sent/$id", params: { id: sent.id } });
    },
  });
  const send = () => {
    setTried(true);
    if (peer !== null && recipients.length > 0 && (sure || !readable)) sending.mutate(peer);
  };
  const close = (next: boolean) => {
    onOpenChange(next);
    if (next) return;
    // Being sure is of this time only.
    setSure(false);
    setTried(false);
    sending.reset();
  };

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      insistent={sending.isPending}
      title="Send this document"
      description={<p className="wrap-anywhere line-clamp-3">{draft.name}</p>}
      footer={
        <>
          {sending.error && <ErrorPanel title="It was not sent." problem={sending.error} className="w-full" />}
          <Button onClick={() => close(false)} disabled={sending.isPending}>
            Cancel
          </Button>
          {active.length > 0 && (
            <Button tone="primary" icon={<Send aria-hidden />} busy={sending.isPending} onClick={send}>
              Send
            </Button>
          )}
        </>
      }
    >
      {peers.error && !peers.data && (
        <ErrorPanel
          title="The gateways to send to could not be loaded."
          problem={peers.error}
          onRetry={() => void peers.refetch()}
        />
      )}
      {peers.isPending && <Skeleton label="Loading the gateways to send to" />}
      {peers.data && active.length === 0 && <NoPeer peers={peers.data} />}
      {active.length > 0 && (
        // No form: Enter in the recipients' field is about the list there, and must never send a document.
        <div className="flex flex-col gap-6">
          <div className="flex flex-col gap-4">
            <PeerField
              names={active.map(({ name }) => name)}
              value={peer}
              onValueChange={(name) => {
                setPeer(name);
                setChosen([]);
              }}
              missing={tried && peer === null}
            />
            {peer !== null && (
              <RecipientsField
                peer={peer}
                value={chosen}
                onValueChange={setChosen}
                error={tried && recipients.length === 0 ? "Choose at least one recipient." : null}
              />
            )}
            {notes.length > 0 && (
              <div role="status" className="flex gap-3 rounded-md bg-sunken px-4 py-3 text-sm">
                <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0 text-quiet" />
                <div className="wrap-anywhere min-w-0">
                  {notes.map((note) => (
                    <p key={note}>{note}</p>
                  ))}
                </div>
              </div>
            )}
          </div>
          <RadioGroup label="How it travels" value={mode} onValueChange={setMode} choices={MODES} />
          <ChannelSplit travel={travel} />
          {readable && <ReadableWarning sure={sure} onSure={setSure} missing={tried && !sure} />}
        </div>
      )}
    </Dialog>
  );
}

/** Where to send: what was chosen; else where the draft went last, or the only one there is. Nothing is guessed. */
function peerOf(active: readonly PeerShown[], chosen: string | null, draft: DraftShown): string | null {
  const wanted = chosen ?? draft.last_transfer?.peer;
  const only = active.length === 1 ? active[0] : undefined;
  return (active.find(({ name }) => name === wanted) ?? only)?.name ?? null;
}
