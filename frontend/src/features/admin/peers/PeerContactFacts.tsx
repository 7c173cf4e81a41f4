import { t } from "@lingui/core/macro";
import type { PeerContact } from "@/api/peers";
import { Definition } from "@/components/ui/DefinitionList";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { durationText } from "@/lib/durations";
import { CertificateDays } from "./CertificateDays";

interface PeerContactFactsProps {
  contact: PeerContact;
  /** How long the answer to a connection test took; null before the first one. */
  testedMs: number | null;
}

/** When a peer was last in contact, as its connections showed. */
export function PeerContactFacts({ contact, testedMs }: PeerContactFactsProps) {
  const { reached_at, heard_at, latency_ms, certificate_until, protocol } = contact;
  return (
    <>
      <Definition term={t`Last answer`}>{reached_at ? <RelativeTime at={reached_at} /> : t`None yet`}</Definition>
      <Definition term={t`Last request`}>{heard_at ? <RelativeTime at={heard_at} /> : t`None yet`}</Definition>
      <Definition term={t`Latency`}>
        {latency_ms !== null && latencyText(durationText(latency_ms))}
        {latency_ms === null && (testedMs === null ? t`Not measured yet` : testedText(durationText(testedMs)))}
      </Definition>
      <Definition term={t`Certificate`}>
        {certificate_until ? <CertificateDays until={certificate_until} /> : t`Not seen yet`}
      </Definition>
      <Definition term={t`Protocol`}>{protocol === null ? t`Not known yet` : t`Version ${protocol}`}</Definition>
    </>
  );
}

const latencyText = (duration: string) => t`${duration} (median of its recent short answers)`;

const testedText = (duration: string) => t`${duration} (connection test)`;
