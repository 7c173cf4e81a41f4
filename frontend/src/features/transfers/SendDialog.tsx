import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { EyeOff, Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type FindingShown, MOST_REASON } from "@/api/findings";
import type { Options } from "@/api/plan";
import { shownMode } from "@/api/plan";
import { gatewaysQuery } from "@/api/recipients";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { capitalised, listText } from "@/lib/prose";
import { BannerLine } from "./BannerLine";
import { CoverFields, coverFault, NO_COVER } from "./CoverFields";
import { allPlain, channelBytesOf } from "./channel-bytes";
import { DocumentsToSend } from "./DocumentsToSend";
import { faultOf, OWN_DEADLINE } from "./deadline";
import { EditionsLine } from "./EditionsLine";
import { NoPeer } from "./NoPeer";
import { NothingClassifiedWarning } from "./NothingClassifiedWarning";
import { OpenFindings } from "./OpenFindings";
import { RecipientsField } from "./RecipientsField";
import { destinationsOf, keyOf, type Unlisted, unlistedOf } from "./recipients";
import { SendForecast } from "./SendForecast";
import { DEFAULT_OPTIONS, SendOptions } from "./SendOptions";
import { unclearedNotes } from "./uncleared-notes";
import { useDirectories } from "./use-directories";
import { type Editions, useEditions } from "./use-editions";
import { useLeakChecks } from "./use-leak-checks";
import { type PeerPlan, usePlans } from "./use-plans";
import { hasFindings, useSend } from "./use-send";
import { useSlow } from "./use-slow";

interface SendDialogProps {
  /** The saved documents to send: one, or several together. */
  drafts: readonly DraftShown[];
  /** Removes one of several documents. */
  onLeaveOut?: (draft: DraftShown) => void;
  /** The author's reasons for ignoring findings. */
  reasons?: readonly string[];
  /** The document was sent like this before and is sent again as it was: the choices to begin with. */
  again?: SendAgain;
  /** Shows a finding in the document; the dialog closes. */
  onShow?: (finding: FindingShown) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** How a document was sent. */
export interface SendAgain {
  readonly recipients: readonly Unlisted[];
  readonly options: Options;
}

/**
 * Chooses recipients and options, sends, and opens the page of the transfer. It keeps the choices while it is closed.
 */
export function SendDialog({ drafts, onLeaveOut, reasons = [], again, onShow, open, onOpenChange }: SendDialogProps) {
  const only = drafts.length === 1 ? drafts[0] : undefined;
  const what = only ? only.name : plural(drafts.length, { one: "# document", other: "# documents" });
  // Loaded each time, because an admin may have paired another gateway.
  const gateways = useQuery({ ...gatewaysQuery, enabled: open, staleTime: 0 });
  const own = gateways.data?.find(({ is_own }) => is_own)?.name ?? null;
  const { directories, people } = useDirectories(gateways.data ?? [], open);
  const nobody = people.length === 0 && directories.every(({ isOwn, loading, error }) => isOwn && !loading && !error);
  const mayChoose = gateways.data !== undefined && !nobody;
  const reply = drafts.find(({ reply_to }) => reply_to)?.reply_to ?? null;
  const named = again?.recipients ?? (reply ? [senderOf(reply)] : []);
  const [keys, setKeys] = useState<readonly string[]>(named.map(keyOf));
  const recipients = keys.flatMap((key) => people.find((one) => keyOf(one) === key) ?? []);
  const unlisted = unlistedOf(keys, people, named);
  const to = destinationsOf(recipients);
  const [options, setOptions] = useState(again?.options ?? DEFAULT_OPTIONS);
  const { mode } = options;
  const [deadline, setDeadline] = useState(OWN_DEADLINE);
  const deadlineFault = faultOf(deadline, new Date());
  const [cover, setCover] = useState(NO_COVER);
  const bare = directories.filter(({ peer, takesNotes }) => takesNotes === false && to.some((at) => at.peer === peer));
  const noteFault = coverFault(
    cover,
    bare.map(({ peer }) => peer),
  );
  const [sure, setSure] = useState(false);
  const leakChecks = useLeakChecks(drafts, open, again !== undefined);
  const { found } = leakChecks;
  // Until the author types a reason: those given when the findings were ignored.
  const [typedReason, setTypedReason] = useState<string | null>(null);
  const reason = typedReason ?? reasons.join("; ").slice(0, MOST_REASON);
  const maySend =
    found.length === 0 || (found.every(({ checked }) => checked.rule === "confirm") && reason.trim() !== "");
  // Counts attempts to send; after the first, the dialog shows what is missing.
  const [attempts, setAttempts] = useState(0);
  const attempted = attempts > 0;
  const body = useRef<HTMLElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempts > 0) focusFault(fields.current);
  }, [attempts]);
  // Removing the last but one document removes the list, with the button that had the focus.
  useEffect(() => {
    if (only && document.activeElement === document.body) body.current?.focus();
  }, [only]);
  // The first field appears once the gateways are loaded; until then the dialog has the focus.
  const ready = mayChoose && (people.length > 0 || directories.some(({ loading }) => loading));
  const started = useRef(false);
  const focusFirst = () => {
    if (started.current || document.activeElement !== body.current) return;
    const field = body.current?.querySelector<HTMLElement>("[role=combobox]");
    started.current = Boolean(field);
    field?.focus();
  };
  useEffect(() => {
    if (ready) focusFirst();
  });
  const sum = sumOf(drafts);
  const work = { bytes: sum.document_bytes, classified: sum.classified_bytes, documents: drafts.length };
  // With a single peer, its estimate is shown at once.
  const peers = directories.map(({ peer }) => peer).filter((peer) => peer !== own);
  const plans = usePlans(to.length > 0 ? to.map(({ peer }) => peer) : peers.length === 1 ? peers : [], work, options);
  // What automatic shows as the secure channel alone stays on it, and so does what stays at this gateway.
  const isSecure = ({ peer, plan }: PeerPlan) => peer === own || (mode === "auto" && plan?.mode === "secure-only");
  const onlySecure = plans.length > 0 && plans.every(isSecure);
  const bytesOf = (draft: DraftShown) => channelBytesOf(draft, onlySecure ? "secure-only" : mode);
  const readable = drafts.filter((draft) => allPlain(bytesOf(draft)));
  const editions = useEditions(drafts, open);
  const clearanceNotes = unclearedNotes(recipients, withEditions(drafts, editions));

  const sending = useSend({
    drafts,
    what,
    open,
    onSent: () => onOpenChange(false),
    onFindingsChanged: leakChecks.checkAgain,
  });
  const slow = useSlow(sending.isPending);
  const send = () => {
    if (sending.isPending) return;
    setAttempts(attempts + 1);
    if (
      to.length === 0 ||
      unlisted.length > 0 ||
      deadlineFault !== null ||
      noteFault !== null ||
      !maySend ||
      !(sure || readable.length === 0)
    )
      return;
    const confirm = found.length > 0 ? { digests: leakChecks.digests, reason: reason.trim() } : null;
    const estimated = to.map((each) => {
      const shown = plans.find(({ peer }) => peer === each.peer);
      return { ...each, estimated_mode: shownMode(shown?.plan ?? null) };
    });
    sending.mutate({ to: estimated, options, deadline, confirm, cover });
  };
  const close = (next: boolean) => {
    onOpenChange(next);
    if (next) return;
    started.current = false;
    // The confirmation counts for one attempt only.
    setSure(false);
    setAttempts(0);
    if (!sending.isPending) sending.reset();
  };

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={again ? t`Send this document again` : only ? t`Send this document` : t`Send ${what}`}
      scrollsWhole
      initialFocus={body}
      onCtrlEnter={() => mayChoose && send()}
      description={
        only ? (
          <>
            <p className="wrap-anywhere line-clamp-3">{what}</p>
            {reply && !again && <p className="wrap-anywhere line-clamp-2">{t`In reply to “${reply.document}”`}</p>}
          </>
        ) : (
          <p>{t`All documents go to the same recipients. Each is delivered separately, with its own receipt.`}</p>
        )
      }
      footer={
        <>
          {sending.error && !(found.length > 0 && hasFindings(sending.error)) && (
            <ErrorPanel
              title={only ? t`The document was not sent.` : t`None of the documents were sent.`}
              problem={sending.error}
              className="w-full"
            />
          )}
          {slow && (
            <p role="status" className="w-full text-sm">
              {slowText(to.map(({ peer }) => peer))}
            </p>
          )}
          <Button onClick={() => close(false)}>{sending.isPending ? t`Close` : t`Cancel`}</Button>
          {mayChoose && (
            <Button
              tone="primary"
              icon={<Send aria-hidden />}
              busy={sending.isPending}
              // The recipients are not loaded, or there are none; the field says which.
              disabled={people.length === 0}
              // not a text
              aria-keyshortcuts="Control+Enter Meta+Enter"
              title={t`Ctrl+Enter`}
              onClick={send}
            >{t`Send`}</Button>
          )}
        </>
      }
    >
      <section
        ref={body}
        aria-label={t`Recipients and options`}
        tabIndex={-1}
        className="outline-none"
        onFocus={focusFirst}
      >
        {gateways.error && !gateways.data && (
          <ErrorPanel
            title={t`Could not load the gateways.`}
            problem={gateways.error}
            onRetry={() => gateways.refetch()}
          />
        )}
        {gateways.isPending && <Skeleton label={t`Loading the gateways`} />}
        {gateways.data && nobody && <NoPeer />}
        {mayChoose && (
          // No form, because Enter alone must never send a document.
          <div ref={fields} className="flex flex-col gap-6">
            <div className="flex flex-col gap-4">
              <RecipientsField
                directories={directories}
                people={people}
                value={keys}
                onValueChange={setKeys}
                unlisted={unlisted}
                error={attempted ? recipientFault(keys, unlisted) : null}
              />
              {keys.length > 1 && (
                <p className="text-quiet text-sm">{t`All recipients can see who else received this.`}</p>
              )}
              {clearanceNotes.length > 0 && (
                <div role="status" className="flex gap-3 rounded-md bg-sunken px-4 py-3 text-sm">
                  <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0 text-quiet" />
                  <div className="wrap-anywhere min-w-0">
                    {clearanceNotes.map((note) => (
                      <p key={note}>{note}</p>
                    ))}
                  </div>
                </div>
              )}
            </div>
            {only && !again && <BannerLine draft={only} />}
            {onLeaveOut && drafts.length > 1 && <DocumentsToSend drafts={drafts} onLeaveOut={onLeaveOut} />}
            <CoverFields cover={cover} onCover={setCover} error={noteFault} />
            <SendOptions
              plans={plans.flatMap(({ peer, plan }) => (peer === own ? [] : (plan ?? [])))}
              options={options}
              onOptions={setOptions}
              deadline={deadline}
              onDeadline={setDeadline}
              deadlineError={attempted ? deadlineFault : null}
            />
            <SendForecast
              plans={plans}
              own={own}
              down={directories.filter(({ asOf }) => asOf !== null).map(({ peer }) => peer)}
              mode={mode}
              documents={drafts.length}
              bytes={sum}
              onMode={(next) => setOptions({ ...options, mode: next })}
            />
            <EditionsLine editions={editions} several={!only} />
            {leakChecks.pending && <p className="text-quiet text-sm">{t`Checking for leaks…`}</p>}
            {leakChecks.error && (
              <ErrorPanel
                title={t`The leak check could not run.`}
                problem={leakChecks.error}
                onRetry={leakChecks.retry}
              />
            )}
            {found.length > 0 && (
              <OpenFindings
                found={found}
                of={drafts.length}
                nothingPlain={(draft) => bytesOf(draft).plain === 0}
                changed={hasFindings(sending.error)}
                reason={reason}
                onReason={setTypedReason}
                missing={attempted && !maySend}
                onShow={
                  onShow
                    ? (finding) => {
                        close(false);
                        onShow(finding);
                      }
                    : null
                }
              />
            )}
            {readable.length > 0 && (
              <NothingClassifiedWarning
                readable={readable}
                of={drafts.length}
                sure={sure}
                onSure={setSure}
                missing={attempted && !sure}
              />
            )}
          </div>
        )}
      </section>
    </Dialog>
  );
}

/** The documents, with what is known about their redacted editions. It makes no claim before the answer is known. */
function withEditions(drafts: readonly DraftShown[], editions: Editions) {
  const has = (of: readonly DraftShown[], { id }: DraftShown) => of.some((each) => each.id === id);
  return drafts.map((draft) => {
    const known = editions.known.find((each) => each.draft.id === draft.id);
    if (known) return { ...draft, redacted_bytes: known.bytes };
    if (has(editions.asked, draft)) return { ...draft, edition: "asked" as const };
    return has(editions.unknown, draft) ? { ...draft, edition: "unknown" as const } : draft;
  });
}

/** The person to whom a reply goes. */
function senderOf({ peer, recipient, recipient_name }: NonNullable<DraftShown["reply_to"]>): Unlisted {
  return { peer, name: recipient, display_name: recipient_name };
}

/** What is missing in the choice of recipients, or null. Those who can no longer receive have an error of their own. */
function recipientFault(keys: readonly string[], unlisted: readonly Unlisted[]): string | null {
  if (keys.length === 0) return t`Choose at least one recipient.`;
  if (unlisted.length === 0) return null;
  const names = listText(unlisted.map(({ display_name, peer }) => t`${display_name} at ${peer}`));
  return t`Could not check yet who can receive. Wait until the recipients are loaded, or remove ${names}.`;
}

/** The total bytes. */
function sumOf(drafts: readonly DraftShown[]) {
  const of = (part: "document_bytes" | "classified_bytes" | "plain_bytes") =>
    drafts.reduce((sum, draft) => sum + draft[part], 0);
  return {
    document_bytes: of("document_bytes"),
    classified_bytes: of("classified_bytes"),
    plain_bytes: of("plain_bytes"),
  };
}

/** Focuses the first missing input and scrolls its error into view. */
function focusFault(fields: HTMLElement | null): void {
  const fault = fields?.querySelector<HTMLElement>(
    "input[aria-invalid=true], textarea[aria-invalid=true], [data-fault]",
  );
  // A text field comes before buttons.
  const control = fault?.matches("input, textarea")
    ? fault
    : (fault?.querySelector<HTMLElement>("textarea") ?? fault?.querySelector<HTMLElement>("button, [role=checkbox]"));
  control?.focus();
  fault?.scrollIntoView({ block: "nearest" });
}

function slowText(peers: readonly string[]): string {
  const names = capitalised(listText(peers));
  return plural(peers.length, {
    one: `${names} is slow to confirm the recipients. You can close this window; sending continues.`,
    other: `${names} are slow to confirm the recipients. You can close this window; sending continues.`,
  });
}
