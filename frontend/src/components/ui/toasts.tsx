import { Toast } from "@base-ui/react/toast";
import { t } from "@lingui/core/macro";
import { CircleCheck, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { cx } from "@/lib/cx";
import { IconButton } from "./IconButton";

const manager = Toast.createToastManager();

interface ToastAction {
  label: string;
  onAction: () => void;
}

/** Briefly reports a success. `detail`: a second line. `action`: a button; the toast then stays longer. */
export function toast(title: string, detail?: string, action?: ToastAction): void {
  const id = manager.add({
    title,
    description: detail,
    type: "ok",
    timeout: action ? 10_000 : 5000,
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(id);
          action.onAction();
        },
      },
    }),
  });
}

/** Reports a failure that no form shows. It stays until it is closed. */
export function toastError(title: string, error: unknown): void {
  manager.add({ title, description: asProblem(error).detail, type: "problem", timeout: 0 });
}

/**
 * Shows toasts. Render it once, around the app. On a phone they are below the header, and above a dialog, whose sheet is at
 * the bottom.
 */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-x-4 z-50 mx-auto flex max-w-96 flex-col gap-2 max-sm:top-16 max-sm:[:root:has([role*=dialog])_&]:top-2 sm:inset-x-auto sm:right-6 sm:bottom-6 sm:w-96">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

// Base UI gives toasts the role of a dialog, but they ask nothing. The viewport's live region announces them.
const NO_DIALOG = { role: "group", "aria-modal": undefined } as const;

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((shown) => {
    const failed = shown.type === "problem";
    const Icon = failed ? TriangleAlert : CircleCheck;
    return (
      <Toast.Root
        key={shown.id}
        toast={shown}
        {...NO_DIALOG}
        className="rounded-md bg-raised text-ink text-sm shadow-float transition-[opacity,translate] duration-150 data-ending-style:translate-y-2 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0 forced-colors:border"
      >
        <Toast.Content className="flex items-start gap-3 py-3 pr-2 pl-4">
          <Icon className={cx("mt-0.5 size-4 shrink-0", failed ? "text-danger" : "text-ok")} aria-hidden />
          <div className="min-w-0 flex-1">
            <Toast.Title className="font-medium" />
            <Toast.Description className="wrap-anywhere line-clamp-2 text-quiet" />
          </div>
          <Toast.Action
            aria-hidden={false}
            className="tap -my-1 min-h-8 shrink-0 rounded-sm px-2 font-medium underline underline-offset-2 hover:bg-ink/8"
          />
          <Toast.Close
            aria-hidden={false}
            render={<IconButton label={t`Dismiss`} icon={<X />} size="sm" className="-my-1" />}
          />
        </Toast.Content>
      </Toast.Root>
    );
  });
}
