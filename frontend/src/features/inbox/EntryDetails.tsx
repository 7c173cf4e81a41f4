import { t } from "@lingui/core/macro";
import { nameOf } from "@/api/media-types";
import type { EntryShown } from "@/api/types";
import { KeptUntil } from "@/components/KeptUntil";
import { Bytes } from "@/components/ui/Bytes";
import { Definition, DefinitionList } from "@/components/ui/DefinitionList";
import { Section } from "@/components/ui/Section";
import { modeName } from "@/features/transfers/modes";
import { absoluteText } from "@/lib/times";
import { Downloads } from "./Downloads";
import { knownBytes, shareText } from "./entry";
import { useWhyNotForwarded } from "./ForwardButton";
import { ReceiptSection } from "./ReceiptSection";

/** Everything about a received document except its text. */
export function EntryDetails({ entry }: { entry: EntryShown }) {
  const whyNotForwarded = useWhyNotForwarded(entry);
  const whole = entry.document_bytes !== null;
  return (
    <div className="flex flex-col gap-8">
      <Section title={t`Details`}>
        <DefinitionList>
          <Definition term={t({ context: "sender", message: "From" })}>{entry.sender}</Definition>
          <Definition term={t`Gateway`}>{entry.peer}</Definition>
          <Definition term={t`Received`}>
            <time dateTime={entry.received_at}>{absoluteText(new Date(entry.received_at))}</time>
          </Definition>
          {entry.mode !== null && <Definition term={t`Sent over`}>{modeName(entry.mode)}</Definition>}
          <Definition term={whole ? t`Size` : entry.redacted_bytes === null ? t`Plain part` : t`Redacted edition`}>
            <Bytes value={knownBytes(entry)} />
          </Definition>
          {whole && <Definition term={t`Classified`}>{shareText(entry)}</Definition>}
          <Definition term={t`Type`}>{nameOf(entry.media_type) ?? entry.media_type}</Definition>
          {whyNotForwarded && <Definition term={t`Forwarding`}>{whyNotForwarded}</Definition>}
          <Definition term={t`Kept`}>
            {entry.kept_until ? <KeptUntil at={entry.kept_until} /> : t`Until you delete it`}
          </Definition>
        </DefinitionList>
      </Section>
      <Downloads entry={entry} />
      <ReceiptSection entry={entry} />
    </div>
  );
}
