import { t } from "@lingui/core/macro";
import { CircleHelp } from "lucide-react";
import { useState } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { IconButton } from "@/components/ui/IconButton";
import { toastError } from "@/components/ui/toasts";

const HelpDialog = lazyWithPreload(async () => (await import("./HelpDialog")).HelpDialog);

/** Opens the help, from every page. */
export function HelpButton() {
  const [open, setOpen] = useState(false);
  // Its code is loaded when it first opens.
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <>
      <IconButton
        label={t`Help`}
        icon={<CircleHelp />}
        onClick={() => {
          setWasOpened(true);
          setOpen(true);
        }}
      />
      <ErrorBoundary
        open={open}
        onFailed={(error) => {
          setOpen(false);
          toastError(t`The help could not be loaded.`, error);
        }}
      >
        {wasOpened && <HelpDialog open={open} onOpenChange={setOpen} />}
      </ErrorBoundary>
    </>
  );
}
