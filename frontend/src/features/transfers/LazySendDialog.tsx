import { t } from "@lingui/core/macro";
import { LoaderCircle } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";

const Loaded = lazyWithPreload(async () => (await import("./SendDialog")).SendDialog, Waiting);

/** The send dialog. Its code is loaded when it first opens; if that fails, a dialog says so and offers to retry. */
export function LazySendDialog(props: ComponentProps<typeof Loaded>) {
  const { open, onOpenChange } = props;
  // Keeps the error while the dialog fades.
  const [{ failed, error }, setFailure] = useState<{ failed: boolean; error: unknown }>({ failed: false, error: null });
  const reset = () => setFailure({ failed: false, error });
  const close = () => {
    reset();
    onOpenChange(false);
  };
  return (
    <>
      <ErrorBoundary open={open && !failed} onFailed={(error) => setFailure({ failed: true, error })}>
        <Loaded {...props} />
      </ErrorBoundary>
      <Dialog open={open && failed} onOpenChange={(next) => next || close()} title={t`Send`} width="sm">
        <ErrorPanel title={t`It cannot be sent now.`} problem={error} onRetry={reset} />
      </Dialog>
    </>
  );
}

/** Shown over the page while the code loads, without moving anything or taking the focus. */
function Waiting({ open }: { open: boolean }) {
  if (!open) return null;
  return (
    <p
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-20 z-40 mx-auto flex w-fit items-center gap-3 rounded-md bg-raised px-4 py-3 text-ink text-sm shadow-float sm:inset-x-auto sm:right-6 sm:bottom-6 forced-colors:border"
    >
      <LoaderCircle aria-hidden className="size-4 animate-spin text-quiet" />
      {t`Loading what is needed to send…`}
    </p>
  );
}
