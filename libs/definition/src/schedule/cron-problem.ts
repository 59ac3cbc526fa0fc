import { neverFires } from './fire-times.js';

const CRON_FIELDS: readonly { name: string; from: number; to: number; names?: readonly string[] }[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of month', from: 1, to: 31 },
  {
    name: 'month',
    from: 1,
    to: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', from: 0, to: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * Returns why a five-field cron expression is invalid; undefined if it is valid. Allows lists, ranges, steps and
 * English names.
 */
export function cronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/ +/);
  for (const [index, field] of CRON_FIELDS.entries()) {
    const text = fields[index] ?? '';
    if (!text.split(',').every((part) => isCronPart(part, field))) {
      return `\`${text}\` is not a valid ${field.name}: write ${field.from} to ${field.to}, \`*\`, ranges such as \`1-5\`, steps such as \`*/5\` and lists.`;
    }
  }
  return neverFires(cron.trim());
}

function isCronPart(part: string, field: (typeof CRON_FIELDS)[number]): boolean {
  const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/([0-9]{1,3}))?$/.exec(part.toLowerCase());
  if (!match) return false;
  const [, first = '', last, step] = match;
  if (step !== undefined && Number(step) < 1) return false;
  if (first === '*') return last === undefined;
  const from = cronNumber(first, field);
  const to = last === undefined ? from : cronNumber(last, field);
  return from !== undefined && to !== undefined && from <= to;
}

function cronNumber(text: string, field: (typeof CRON_FIELDS)[number]): number | undefined {
  const word = field.names?.indexOf(text) ?? -1;
  if (word !== -1) return word + (field.from === 1 ? 1 : 0);
  const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : NaN;
  return value >= field.from && value <= field.to ? value : undefined;
}

/** Whether an IANA time zone of this name exists. Offsets such as `+01:00` are not accepted. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
