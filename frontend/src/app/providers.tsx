import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { Announcer } from "@/components/announce";
import { restoreFocus } from "@/components/restore-focus";
import { Toasts } from "@/components/ui/toasts";

/** What every part of the UI stands on. Base UI makes no style elements: the page's policy would refuse them. */
export function Providers({ queryClient, children }: { queryClient: QueryClient; children: ReactNode }) {
  useEffect(restoreFocus, []);
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delay={400}>
          <Toasts>{children}</Toasts>
        </Tooltip.Provider>
        <Announcer />
      </QueryClientProvider>
    </CSPProvider>
  );
}
