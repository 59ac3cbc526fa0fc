import { type ReactNode, useSyncExternalStore } from 'react';
import { formatClock, formatDuration, formatInstant, formatRelative } from './format-values.js';
import { useShownTimeZone } from './time-zone.js';

const TICK_MILLIS = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = Date.now();

/** Calls `listener` every second. All subscribers share one timer, which does nothing while the tab is hidden. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MILLIS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  current = Date.now();
  for (const listener of listeners) listener();
}

/**
 * Returns the current time, rounded down to a multiple of `step` milliseconds. The returned value changes, and the
 * component renders, only once per step.
 */
export function useNow(step = TICK_MILLIS): number {
  return useSyncExternalStore(subscribe, () => Math.floor(current / step) * step);
}

const TIME_STEP = 15_000;

export function Time({ at }: { at: string }): ReactNode {
  // `useNow` rounds the current time down by up to `TIME_STEP`. `TIME_STEP` is added, because otherwise a time in the
  // last few seconds would be shown as a future time.
  const now = useNow(TIME_STEP) + TIME_STEP;
  // Renders again when the chosen time zone changes, because the title shows the time in this zone.
  useShownTimeZone();
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {formatRelative(at, now)}
    </time>
  );
}

/** Shows the time of day, for lists that are grouped by day. */
export function ClockTime({ at }: { at: string }): ReactNode {
  useShownTimeZone();
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {formatClock(Date.parse(at))}
    </time>
  );
}

/** Shows the duration from `since` to `end`. If `end` is null, the duration grows each second. */
export function Elapsed({ since, end }: { since: string; end: string | null }): ReactNode {
  return end === null ? <Running since={since} /> : formatDuration(Math.max(0, Date.parse(end) - Date.parse(since)));
}

function Running({ since }: { since: string }): ReactNode {
  return formatDuration(Math.max(0, useNow() - Date.parse(since)));
}
