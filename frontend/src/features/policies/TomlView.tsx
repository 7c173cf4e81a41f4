import { t } from "@lingui/core/macro";
import { Download } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { PolicyWritten } from "@/api/policies";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Field } from "@/components/ui/Field";
import { Textarea } from "@/components/ui/Textarea";
import { saveBlob } from "@/lib/save-blob";
import { readPolicy, TomlProblem } from "./toml";

interface TomlViewProps {
  /** The initial text. */
  start: string;
  name: string;
  /** The name must not change, because marks use it. */
  fixedName: boolean;
  onRead: (policy: PolicyWritten, text: string) => void;
  /** Called with whether the text has errors, so that it cannot be saved. */
  onUnread: (unread: boolean) => void;
}

/** The policy as a file for `sieve mark --policy`. Changes here change the rules. */
export function TomlView({ start, name, fixedName, onRead, onUnread }: TomlViewProps) {
  const [text, setText] = useState(start);
  const problem = useMemo(() => problemIn(text, fixedName ? name : null), [text, fixedName, name]);
  useEffect(() => {
    onUnread(problem !== null);
    return () => onUnread(false);
  }, [problem, onUnread]);
  const change = (next: string) => {
    setText(next);
    if (problemIn(next, fixedName ? name : null) === null) onRead(readPolicy(next), next);
  };
  return (
    <div className="flex flex-col gap-4">
      <Field
        label={t`Policy file (TOML)`}
        hint={t`The version number increases when you save. Changing a rule in the form removes comments.`}
        error={problem}
      >
        <Textarea
          value={text}
          rows={16}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          className="min-h-80 font-mono text-sm"
          onChange={({ target }) => change(target.value)}
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<Download aria-hidden />}
          onClick={() => saveBlob(new Blob([text], { type: "application/toml" }), `${name || "policy"}.toml`)}
        >{t`Download`}</Button>
        <CopyButton text={text} what={t`policy`} worded />
      </div>
    </div>
  );
}

function problemIn(text: string, name: string | null): string | null {
  try {
    const read = readPolicy(text);
    return name !== null && read.name !== name ? t`The name must stay ${name}, because marks refer to it.` : null;
  } catch (error) {
    if (error instanceof TomlProblem) return error.message;
    throw error;
  }
}
