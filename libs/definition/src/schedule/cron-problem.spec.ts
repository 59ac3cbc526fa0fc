import { cronProblem } from './cron-problem.js';
import { FireTimes } from './fire-times.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const EVERY = ['*', '*', '*', '*', '*'];
/** For each field: values at and beyond its limits, and names. */
const VALUES = [
  ['0', '00', '1', '30', '59', '60', 'jan'],
  ['0', '1', '12', '23', '24'],
  ['0', '1', '01', '15', '31', '32', 'L', '15W', 'LW'],
  ['0', '1', '6', '12', '13', 'jan', 'DEC', 'december'],
  ['0', '1', '6', '7', '07', '8', 'sun', 'SAT', 'monday', '5L', '5#2'],
];
const STEPS = [
  '',
  '/',
  '/0',
  '/1',
  '/2',
  '/6',
  '/7',
  '/8',
  '/12',
  '/13',
  '/24',
  '/25',
  '/31',
  '/32',
  '/60',
  '/61',
  '/90',
];
const ODD = [
  '',
  '-',
  '?',
  '@daily',
  '+1',
  '*-5',
  '1-',
  '-1',
  '1--5',
  '1/2/3',
  '*,',
  '1,,2',
  '*/1.5',
  '*/-1',
  '*/999',
  '٣',
  '1 1',
];

function partsOf(values: readonly string[]): string[] {
  const ranges = values.flatMap((from) => values.map((to) => `${from}-${to}`));
  return ['*', ...values, ...ranges].flatMap((base) => STEPS.map((step) => base + step)).concat(ODD);
}

describe('a cron expression', () => {
  it.each(VALUES.map((values, index) => [index, values] as const))(
    'that is valid can be computed, whatever its field %i contains',
    (index, values) => {
      const parts = partsOf(values);
      const fields = parts.map((part, at) => (at % 3 === 0 ? `${part},${parts[(at * 31) % parts.length]}` : part));
      const crons = fields.map((field) => EVERY.toSpliced(index, 1, field).join(' '));
      const valid = crons.filter((cron) => cronProblem(cron) === undefined);
      for (const cron of valid) expect(new FireTimes(cron, 'UTC').next(NOW)).toBeInstanceOf(Date);
      expect(valid.length).toBeGreaterThan(50);
      expect(crons.length - valid.length).toBeGreaterThan(50);
    },
  );

  it.each([
    ['*/90 * * * *', 'minute', '`90` must be 1 to 60'],
    ['1/90 * * * *', 'minute', '`90` must be 1 to 60'],
    ['0-59/90 * * * *', 'minute', '`90` must be 1 to 60'],
    ['*/0 * * * *', 'minute', '`0` must be 1 to 60'],
    ['0 */25 * * *', 'hour', '`25` must be 1 to 24'],
    ['0 0 */32 * *', 'day of month', '`32` must be 1 to 31'],
    ['0 0 1 */13 *', 'month', '`13` must be 1 to 12'],
    ['0 0 * * */8', 'day of week', '`8` must be 1 to 7'],
    ['0 0 * * fri-mon', 'day of week', '`fri-mon` begins with its larger value'],
    ['0 0 * * 7/2', 'day of week', 'write `7` without a step'],
    ['0 0 L * *', 'day of month', 'write 1 to 31'],
  ])('%s is refused with the field %s and the reason', (cron, field, reason) => {
    expect(cronProblem(cron)).toContain(`is not a valid ${field}: `);
    expect(cronProblem(cron)).toContain(reason);
  });

  it('may have white space around and between its fields', () => {
    const cron = ' 0  7\t* * 1-5 \n';
    expect(cronProblem(cron)).toBeUndefined();
    expect(new FireTimes(cron, 'UTC').next(NOW)).toEqual(new Date('2026-01-01T07:00:00Z'));
  });
});
