import type { ReactNode } from 'react';
import { Choice } from './field.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Periods for which a replaced key or secret stays valid, in seconds, by their labels. */
const GRACES: Readonly<Record<string, number>> = {
  'not at all': 0,
  'for an hour': HOUR,
  'for a day': DAY,
  'for a week': 7 * DAY,
};

export const USUAL_GRACE = DAY;

export function GraceChoice({ value, onChange }: { value: number; onChange: (seconds: number) => void }): ReactNode {
  return (
    <Choice
      label="The previous one stays valid"
      value={String(value)}
      onChange={(seconds) => onChange(Number(seconds))}
      options={Object.entries(GRACES).map(([label, seconds]) => ({ label, value: String(seconds) }))}
    />
  );
}

const NEVER = 'never';
const EXPIRIES: Readonly<Record<string, number>> = { '7 days': 7, '30 days': 30, '90 days': 90, '1 year': 365 };

export const USUAL_EXPIRY = '90 days';

export function ExpiryChoice(props: { value: string; onChange: (value: string) => void; problem?: string }): ReactNode {
  const options = [...Object.keys(EXPIRIES), NEVER].map((value) => ({ value }));
  return <Choice label="Expires after" options={options} {...props} />;
}

/** Returns the time at which a new key expires, or null if it never expires. */
export function expiryTime(expiry: string, now: number): string | null {
  const days = EXPIRIES[expiry];
  return days === undefined ? null : new Date(now + days * DAY * 1_000).toISOString();
}
