import { useSyncExternalStore } from 'react';

export const TIME_ZONES = ['local', 'UTC'] as const;
export type ShownTimeZone = (typeof TIME_ZONES)[number];

const STORED = 'console-time-zone';
const listeners = new Set<() => void>();

/** Returns the time zone in which the console shows times: that of the browser, or UTC if the person has chosen it. */
export function shownTimeZone(): ShownTimeZone {
  const isUtc = typeof localStorage !== 'undefined' && localStorage.getItem(STORED) === 'UTC';
  return isUtc ? 'UTC' : 'local';
}

export function setShownTimeZone(zone: ShownTimeZone): void {
  localStorage.setItem(STORED, zone);
  for (const listener of listeners) listener();
}

export function useShownTimeZone(): ShownTimeZone {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, shownTimeZone);
}
