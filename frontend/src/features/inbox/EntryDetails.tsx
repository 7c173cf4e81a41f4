import type { EntryShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { Section } from "@/components/ui/Section";
import { modeName } from "@/features/transfers/modes";
import { nameOf } from "@/lib/media-types";
import { absoluteText } from "@/lib/times";
import { Downloads } from "./Downloads";
import { knownBytes, shareText } from "./entry";
import { Fact } from "./Fact";
import { KeptUntil } from "./KeptUntil";
import { ReceiptSection } from "./ReceiptSection";

/** All about a received document but its text. */
export function EntryDetails({ entry }: { entry: EntryShown }) {
  const whole = entry.document_bytes !== null;
  return (
    <div className="flex flex-col gap-8">
      <Section title="Details">
        <dl className="flex flex-col gap-2 text-sm">
          <Fact term="From">{entry.sender}</Fact>
          <Fact term="Gateway">{entry.peer}</Fact>
          <Fact term="Received">
            <time dateTime={entry.received_at}>{absoluteText(new Date(entry.received_at))}</time>
          </Fact>
          <Fact term="Sent over">{modeName(entry.mode)}</Fact>
          <Fact term={whole ? "Size" : "Plain part"}>
            <Bytes value={knownBytes(entry)} />
          </Fact>
          {whole && <Fact term="Classified">{shareText(entry)}</Fact>}
          <Fact term="Type">{nameOf(entry.media_type) ?? entry.media_type}</Fact>
          <Fact term="Kept">{entry.kept_until ? <KeptUntil at={entry.kept_until} /> : "Until you delete it"}</Fact>
        </dl>
      </Section>
      <Downloads entry={entry} />
      <ReceiptSection entry={entry} />
    </div>
  );
}
