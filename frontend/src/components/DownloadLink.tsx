import { t } from "@lingui/core/macro";
import { type MouseEvent, type ReactNode, useRef } from "react";
import { probe } from "@/api/client";
import { toastError } from "@/components/ui/toasts";

/** A download link. It asks the gateway first, because browsers do not report why a download was refused. */
export function DownloadLink({ href, className, children }: { href: string; className: string; children: ReactNode }) {
  const may = useRef(false);
  const ask = (event: MouseEvent<HTMLAnchorElement>) => {
    if (may.current) {
      may.current = false;
      return;
    }
    event.preventDefault();
    const link = event.currentTarget;
    probe(href).then(
      () => {
        may.current = true;
        link.click();
      },
      (error: unknown) => toastError(t`Could not download the document.`, error),
    );
  };
  return (
    <a href={href} download className={className} onClick={ask}>
      {children}
    </a>
  );
}
