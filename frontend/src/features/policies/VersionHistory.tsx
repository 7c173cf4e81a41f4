import { t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
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
import { useFirstRows } from "@/components/use-first-rows";
import { numberText } from "@/lib/numbers";
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
  const { shown: listed, hidden, showAll } = useFirstRows(versions, FIRST_SHOWN, t`versions`);
  return (
    <Section title={t`Versions`} lead={t`Each mark records the policy version that made it.`}>
      <ol aria-label={t`Versions`} className="flex flex-col text-sm">
        {listed.map((version) => (
          <li key={version} className="flex items-center justify-between gap-4 border-line border-b py-1.5">
            <span>
              {version === policy.version ? (
                <Trans>
                  Version {{ number: numberText(version) }}
                  <span className="text-quiet">, in use</span>
                </Trans>
              ) : (
                t`Version ${{ number: numberText(version) }}`
              )}
            </span>
            <Button size="sm" onClick={() => setShown(version)}>
              <Trans>
                View<span className="sr-only"> version {version}</span>
              </Trans>
            </Button>
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <Button
          size="sm"
          className="self-start"
          onClick={showAll}
        >{t`Show all ${{ total: numberText(versions.length) }}`}</Button>
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
      title={t`${name}, version ${{ version: numberText(version) }}`}
      description={
        data && (
          <Trans>
            <Plural value={data.rules.length} one="# rule" other="# rules" />, saved{" "}
            <RelativeTime at={data.changed_at} /> by {{ person: data.changed_by }}
          </Trans>
        )
      }
      width="lg"
      footer={
        <>
          {text !== undefined && <CopyButton text={text} what={t`policy`} worded />}
          {!latest && (
            <Button
              icon={<RotateCcw aria-hidden />}
              disabled={!data}
              onClick={() => data && onTakeBack(data)}
            >{t`Edit this version`}</Button>
          )}
          <Button tone="primary" onClick={onClose}>{t`Close`}</Button>
        </>
      }
    >
      <Loaded query={policy} what={t`this version`} lines={6}>
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
