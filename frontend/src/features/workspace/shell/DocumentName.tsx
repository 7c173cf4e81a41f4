import { t } from "@lingui/core/macro";
import { PencilLine } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { focusHeading, usePageHeading } from "@/components/page-heading";
import { IconButton } from "@/components/ui/IconButton";
import { nameError } from "@/lib/document-name";

interface DocumentNameProps {
  name: string;
  /** One line, without the pencil: renaming is in the menu. */
  small?: boolean;
  editing: boolean;
  onEditing: (editing: boolean) => void;
  /** A new one, which is no fault. */
  onName: (name: string) => void;
}

/** The page's heading, which can be changed in place: Enter takes the new name, Escape the old one. */
export function DocumentName({ name, small = false, editing, onEditing, onName }: DocumentNameProps) {
  const { ref, documentTitle } = usePageHeading(name);
  const pencil = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) {
      if (pencil.current) pencil.current.focus({ preventScroll: true });
      else focusHeading();
    }
    wasEditing.current = editing;
  }, [editing]);

  return (
    <div className="flex min-w-0 items-center gap-1">
      <title>{documentTitle}</title>
      <h1
        ref={ref}
        tabIndex={-1}
        className={
          editing
            ? "sr-only"
            : small
              ? "min-w-0 truncate font-serif text-lg leading-tight tracking-tight"
              : "wrap-anywhere line-clamp-2 min-w-0 font-serif text-2xl leading-tight tracking-tight sm:text-3xl"
        }
        title={small || name.length > 60 ? name : undefined}
      >
        {name}
      </h1>
      {editing ? (
        <NameField
          first={name}
          onDone={(next) => {
            if (next !== null && next !== name) onName(next);
            onEditing(false);
          }}
        />
      ) : small ? null : (
        <IconButton ref={pencil} label={t`Rename`} icon={<PencilLine />} size="sm" onClick={() => onEditing(true)} />
      )}
    </div>
  );
}

function NameField({ first, onDone }: { first: string; onDone: (name: string | null) => void }) {
  const [name, setName] = useState(first);
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const fault = nameError(name);
  useEffect(() => {
    const input = field.current;
    input?.focus();
    // The ending stays as it is, unless it is meant.
    const dot = first.lastIndexOf(".");
    input?.setSelectionRange(0, dot > 0 ? dot : first.length);
  }, [first]);
  const finish = (next: string | null) => {
    if (done.current) return;
    done.current = true;
    onDone(next);
  };
  return (
    <form
      className="min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (!fault) finish(name.trim());
      }}
    >
      <input
        ref={field}
        aria-label={t`Name`}
        aria-invalid={fault !== null}
        aria-describedby="name-note"
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => finish(fault ? null : name.trim())}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          finish(null);
        }}
        className="-mx-2 w-full rounded-md border border-edge bg-raised px-2 font-serif text-2xl leading-tight tracking-tight sm:text-3xl"
      />
      <p id="name-note" className={fault ? "mt-1 text-danger text-sm" : "mt-1 text-quiet text-sm"}>
        {fault ?? t`All recipients see the name, including those who are not cleared.`}
      </p>
    </form>
  );
}
