import { t } from "@lingui/core/macro";
import { Search, X } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { Field } from "@/components/ui/Field";
import { IconButton } from "@/components/ui/IconButton";
import { Input } from "@/components/ui/Input";

const PAUSE_MS = 250;

interface SearchFieldProps {
  label: string;
  /** A shorter form of the label for the empty field, which must fit on a phone. */
  placeholder?: string;
  /** The current search, from the address. */
  value: string;
  /** Called when typing pauses, or at once on Enter. */
  onSearch: (text: string) => void;
}

/** A field that searches when typing pauses. It follows the address, but never overwrites newer typing. */
export function SearchField({ label, placeholder = label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [asked, setAsked] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    // Our own search arrives here late, after more may have been typed.
    if (value !== asked) {
      setAsked(value);
      setText(value);
    }
  }
  const search = (wanted: string) => {
    if (wanted.trim() === asked) return;
    setAsked(wanted.trim());
    onSearch(wanted.trim());
  };
  const searchLater = useEffectEvent(search);
  useEffect(() => {
    const timer = setTimeout(() => searchLater(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const clear = () => {
    setText("");
    search("");
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: not every supported browser has the search element
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(text);
      }}
      className="relative w-full sm:w-80"
    >
      <Search aria-hidden className="pointer-events-none absolute top-3 left-3 z-10 size-4 text-quiet" />
      <Field label={label} labelHidden>
        <Input
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => event.key === "Escape" && text !== "" && clear()}
          placeholder={placeholder}
          maxLength={200}
          autoComplete="off"
          enterKeyHint="search"
          className="px-9"
        />
      </Field>
      {text !== "" && (
        <IconButton label={t`Clear search`} icon={<X />} size="sm" onClick={clear} className="absolute top-1 right-1" />
      )}
    </form>
  );
}
