import type { ComponentProps } from "react";
import { Contained } from "@/components/Contained";
import { toastError } from "@/components/ui/toasts";
import { early } from "@/lib/early";

const Loaded = early(async () => (await import("./SendDialog")).SendDialog);

/** Wherever something is sent; its code comes when that is first wanted. If it does not come, the page says so and stays. */
export function SendDialog(props: ComponentProps<typeof Loaded>) {
  const { open, onOpenChange } = props;
  const failed = (error: unknown) => {
    toastError("It cannot be sent now.", error);
    onOpenChange(false);
  };
  return (
    <Contained open={open} onFailed={failed}>
      <Loaded {...props} />
    </Contained>
  );
}
