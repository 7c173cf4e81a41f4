import { type ComponentType, lazy, Suspense, useState } from "react";
import { rethrowIfReachable } from "@/api/rethrow-if-reachable";

/** A component whose code is loaded separately; `load` preloads it. */
export type LazyWithPreload<Props> = ComponentType<Props> & { readonly load: () => Promise<void> };

/**
 * Like `lazy`, with two differences. It renders at once if the code is already loaded; `lazy` always suspends once, and
 * React then shows the fallback for at least 300 ms. After a failure it loads again; `lazy` keeps the failure.
 */
export function lazyWithPreload<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback: ComponentType<Props> = Nothing,
): LazyWithPreload<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const loaded = async () => {
    Loaded = await load().catch(rethrowIfReachable);
    return { default: Loaded };
  };
  const newLazy = (): ComponentType<Props> =>
    lazy(() =>
      loaded().catch((error) => {
        Lazy = newLazy();
        throw error;
      }),
    );
  let Lazy = newLazy();
  const Component = (props: Props) => {
    // Fixed for this element's life, because another component would lose its state. The state is outside Suspense,
    // because React discards the state of suspended children and would load failing code again and again.
    const [Shown] = useState<ComponentType<Props>>(() => Loaded ?? Lazy);
    return (
      <Suspense fallback={<Fallback {...props} />}>
        <Shown {...props} />
      </Suspense>
    );
  };
  return Object.assign(Component, {
    load: () =>
      loaded().then(
        () => undefined,
        // Showing the component loads it again and reports the error.
        () => undefined,
      ),
  });
}

function Nothing() {
  return null;
}
