import { t } from "@lingui/core/macro";
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { announce } from "../announce";
import { Button } from "./Button";
import { IconButton } from "./IconButton";
import { toastError } from "./toasts";

interface CopyButtonProps {
  text: string;
  /** What the text is: "digest" makes the name "Copy digest". */
  what: string;
  /** Shows the name beside the icon. */
  worded?: boolean;
}

/** Copies a text and announces it. */
export function CopyButton({ text, what, worded = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await copyText(text);
      setCopied(true);
      announce(t`${what} copied`);
    } catch (error) {
      toastError(t`Could not copy the ${what}. Select it and copy it yourself.`, error);
    }
  };
  const icon = copied ? <Check className="text-ok" aria-hidden /> : <Copy aria-hidden />;
  if (worded) {
    return (
      <Button icon={icon} onClick={copy}>
        {copied ? t`Copied` : t`Copy ${what}`}
      </Button>
    );
  }
  return <IconButton size="sm" label={t`Copy ${what}`} icon={icon} onClick={copy} />;
}

/** Browsers offer the clipboard in secure contexts only, but closed networks may use HTTP. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr-only";
  document.body.append(area);
  const before = document.activeElement;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!done) throw new Error("the browser refused to copy");
}
