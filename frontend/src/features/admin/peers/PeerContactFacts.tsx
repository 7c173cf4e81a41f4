import { t } from "@lingui/core/macro";
import type { PeerContact } from "@/api/peers";
import { Definition } from "@/components/ui/DefinitionList";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { durationText } from "@/lib/durations";
import { CertificateDays } from "./CertificateDays";

/** When a peer was last in contact, as its connections showed. */
export function PeerContactFacts({ contact }: { contact: PeerContact }) {
  const { reached_at, heard_at, latency_ms, certificate_until, protocol } = contact;
  return (
    <>
      <Definition term={t`Last answer`}>{reached_at ? <RelativeTime at={reached_at} /> : t`None yet`}</Definition>
      <Definition term={t`Last request`}>{heard_at ? <RelativeTime at={heard_at} /> : t`None yet`}</Definition>
      <Definition term={t`Latency`}>
        {latency_ms === null ? t`Not measured yet` : latencyText(durationText(latency_ms))}
      </Definition>
      <Definition term={t`Certificate`}>
        {certificate_until ? <CertificateDays until={certificate_until} /> : t`Not seen yet`}
      </Definition>
      <Definition term={t`Protocol`}>{protocol === null ? t`Not known yet` : t`Version ${protocol}`}</Definition>
    </>
  );
}

const latencyText = (duration: string) => t`${duration} (median of its recent short answers)`;
