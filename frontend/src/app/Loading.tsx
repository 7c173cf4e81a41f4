import { Skeleton } from "@/components/ui/Skeleton";

/** While a page's code or first data is on its way. */
export function Loading() {
  return <Skeleton label="Loading" lines={4} className="mx-auto max-w-xl py-12" />;
}
