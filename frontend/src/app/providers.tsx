import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { Announcer } from "@/components/announce";
import { restoreFocus } from "@/components/restore-focus";
import { Toasts } from "@/components/ui/toasts";

/** The contexts that every part of the UI needs. The page's security policy forbids the style elements of Base UI. */
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
