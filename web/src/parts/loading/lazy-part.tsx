import { use, useEffect, useSyncExternalStore, type ComponentType } from 'react';
import { loadPart, loadWithStyles } from '../../app/load-part.ts';
import { FailedRead } from '../notices/FailedRead.tsx';

export interface FailedPartProps {
  readonly error: Error;
  readonly onRetry: () => void;
}

interface LazyPart<Props> {
  (props: Props): React.ReactNode;
  /** Before it is needed: a failure counts when it is shown. */
  readonly preload: () => Promise<void>;
}

/**
 * A part whose program is loaded when it is first shown. Where that fails, `Failed` takes its place, and it
 * is tried again on request, or when it is shown the next time.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  Failed: ComponentType<FailedPartProps & Props> = FailedRead,
): LazyPart<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;
  let failure: Error | null = null;
  const listeners = new Set<() => void>();

  const take = ({ default: loaded }: { readonly default: ComponentType<Props> }) => {
    Loaded = loaded;
  };
  const begin = () =>
    (loading ??= loadPart(load).then(take, (error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    }));
  const forget = () => {
    loading = null;
    failure = null;
  };
  const onRetry = () => {
    forget();
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  function Part(props: Props) {
    const failed = useSyncExternalStore(subscribe, () => failure);
    useEffect(() => () => void (failure && forget()), []);
    if (!Loaded && !failed) use(begin());
    if (Loaded) return <Loaded {...props} />;
    return failed && <Failed {...props} error={failed} onRetry={onRetry} />;
  }
  Part.preload = () => loadWithStyles(load).then(take, () => {});
  return Part;
}
