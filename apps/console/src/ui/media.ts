import { useCallback, useSyncExternalStore } from 'react';

/** Returns whether the media query matches, and renders again when that changes. */
export function useMedia(query: MediaQueryList): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => query.matches);
}
