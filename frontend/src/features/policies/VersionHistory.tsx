import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { type PolicyShown, policyQuery } from "@/api/policies";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Dialog } from "@/components/ui/Dialog";
import { Loaded } from "@/components/ui/Loaded";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { useFirst } from "@/components/use-first";
import { countText } from "@/lib/prose";
import { printPolicy } from "./toml";

const FIRST_SHOWN = 8;

interface VersionHistoryProps {
  policy: PolicyShown;
  /** Puts that version into the editor, unsaved. */
  onTakeBack: (policy: PolicyShown) => void;
}

/** The versions of a policy, latest first, to read or to edit again. */
export function VersionHistory({ policy, onTakeBack }: VersionHistoryProps) {
  const [shown, setShown] = useState<number | null>(null);
  const versions = Array.from({ length: policy.version }, (_, index) => policy.version - index);
  const { shown: listed, hidden, showAll } = useFirst(versions, FIRST_SHOWN, "versions");
  return (
    <Section title="Versions" lead="Each mark records the policy version that made it.">
      <ol aria-label="Versions" className="flex flex-col text-sm">
        {listed.map((version) => (
          <li key={version} className="flex items-center justify-between gap-4 border-line border-b py-1.5">
            <span>
              Version {version.toLocaleString("en")}
              {version === policy.version && <span className="text-quiet">, in use</span>}
            </span>
            <Button size="sm" onClick={() => setShown(version)}>
              View<span className="sr-only"> version {version}</span>
            </Button>
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <Button size="sm" className="self-start" onClick={showAll}>
          Show all {versions.length.toLocaleString("en")}
        </Button>
      )}
      {shown !== null && (
        <OneVersion
          name={policy.name}
          version={shown}
          latest={shown === policy.version}
          onClose={() => setShown(null)}
          onTakeBack={(old) => {
            setShown(null);
            onTakeBack(old);
          }}
        />
      )}
    </Section>
  );
}

interface OneVersionProps {
  name: string;
  version: number;
  latest: boolean;
  onClose: () => void;
  onTakeBack: (policy: PolicyShown) => void;
}

function OneVersion({ name, version, latest, onClose, onTakeBack }: OneVersionProps) {
  const policy = useQuery({ ...policyQuery(name, version), staleTime: Number.POSITIVE_INFINITY });
  const { data } = policy;
  const text = data && (data.toml ?? printPolicy(data, version));
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={`${name}, version ${version.toLocaleString("en")}`}
      description={
        data && (
          <>
            {countText(data.rules.length, "rule", "rules")}, saved <RelativeTime at={data.changed_at} /> by{" "}
            {data.changed_by}
          </>
        )
      }
      width="lg"
      footer={
        <>
          {text !== undefined && <CopyButton text={text} what="policy" worded />}
          {!latest && (
            <Button icon={<RotateCcw aria-hidden />} disabled={!data} onClick={() => data && onTakeBack(data)}>
              Edit this version
            </Button>
          )}
          <Button tone="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <Loaded query={policy} what="this version" lines={6}>
        {() => (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
            tabIndex={0}
            className="max-h-[55dvh] overflow-auto whitespace-pre-wrap rounded-md bg-sunken p-4 font-mono text-sm"
          >
            {text}
          </pre>
        )}
      </Loaded>
    </Dialog>
  );
}
