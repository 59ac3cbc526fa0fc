import { neverFires } from './fire-times.js';

interface CronField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Largest step that the cron parser accepts: the number of different values. */
  readonly maxStep: number;
  readonly names?: readonly string[];
}

const CRON_FIELDS: readonly CronField[] = [
  { name: 'minute', from: 0, to: 59, maxStep: 60 },
  { name: 'hour', from: 0, to: 23, maxStep: 24 },
  { name: 'day of month', from: 1, to: 31, maxStep: 31 },
  {
    name: 'month',
    from: 1,
    to: 12,
    maxStep: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', from: 0, to: 7, maxStep: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * Returns why a five-field cron expression is invalid; undefined if it is valid. Allows lists, ranges, steps and
 * English names. {@link FireTimes} accepts every valid expression.
 */
export function cronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== CRON_FIELDS.length)
    return `A schedule has five fields: ${CRON_FIELDS.map(({ name }) => name).join(', ')}.`;
  for (const [index, field] of CRON_FIELDS.entries()) {
    const text = fields[index] ?? '';
    for (const part of text.split(',')) {
      const problem = partProblem(part, field);
      if (problem !== undefined) return `\`${text}\` is not a valid ${field.name}: ${problem}.`;
    }
  }
  return neverFires(cron);
}

function partProblem(part: string, field: CronField): string | undefined {
  const [, range = '', step] = /^(.*?)(?:\/([0-9]{1,3}))?$/s.exec(part.toLowerCase()) ?? [];
  const problem = range === '*' ? undefined : rangeProblem(range, field, step !== undefined);
  if (problem !== undefined || step === undefined) return problem;
  if (Number(step) >= 1 && Number(step) <= field.maxStep) return undefined;
  return `the step \`${step}\` must be 1 to ${field.maxStep}, because steps count inside the field`;
}

function rangeProblem(range: string, field: CronField, hasStep: boolean): string | undefined {
  const [, first = '', last] = /^([a-z0-9]+)(?:-([a-z0-9]+))?$/.exec(range) ?? [];
  const from = cronNumber(first, field);
  const to = last === undefined ? from : cronNumber(last, field);
  if (from === undefined || to === undefined)
    return `write ${field.from} to ${field.to}, \`*\`, ranges such as \`1-5\`, steps such as \`*/5\` and lists`;
  if (from > to) return `the range \`${range}\` begins with its larger value`;
  // The parser ends an open range of weekdays at 6, so such a range would be empty.
  const isSunday = from === 7 && field.to === 7 && last === undefined;
  return isSunday && hasStep ? 'write `7` without a step' : undefined;
}

function cronNumber(text: string, field: CronField): number | undefined {
  const word = field.names?.indexOf(text) ?? -1;
  if (word !== -1) return word + (field.from === 1 ? 1 : 0);
  const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : NaN;
  return value >= field.from && value <= field.to ? value : undefined;
}
