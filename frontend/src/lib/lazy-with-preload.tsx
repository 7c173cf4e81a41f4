import { type ComponentType, lazy, Suspense, useState } from "react";
import { rethrowIfReachable } from "@/api/rethrow-if-reachable";

/** A component whose code comes separately; `load` has it come before it is wanted. */
export type LazyWithPreload<Props> = ComponentType<Props> & { readonly load: () => Promise<void> };

/**
 * As `lazy`, but shown at once if the code is there by then. What `lazy` loads is always waited for once more, and React
 * holds back what follows a fallback for 300 ms: a document would be seen that much later. Nor does it keep a failure for
 * good, as `lazy` does: the page says what is wrong, and "Try again" asks for the code again. `Waiting` is shown until then.
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
    // For as long as it is shown: another element would begin again. It holds what failed, too, since it is outside of the
    // Suspense; else React, which forgets what has not been shown yet, would load it again and again.
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
        // It is asked for again when it is shown, and the page says what is wrong.
        () => undefined,
      ),
  });
}

function Nothing() {
  return null;
}
