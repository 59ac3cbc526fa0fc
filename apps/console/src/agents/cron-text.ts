import { listText } from '../data/texts.js';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Returns a frequent cron expression in words, for example `Every weekday at 9:00`, or undefined for any other. */
export function cronText(cron: string): string | undefined {
  const [minute = '', hour = '', day = '', month, weekday = '', ...more] = cron.trim().split(/\s+/);
  if (month !== '*' || more.length > 0) return undefined;
  if (day === '*' && weekday === '*') return intervalText(minute, hour) ?? at('Every day', minute, hour);
  const days = daysText(day, weekday);
  return days && at(days, minute, hour);
}

function intervalText(minute: string, hour: string): string | undefined {
  if (hour === '*' && minute === '*') return 'Every minute';
  const minutes = stepOf(minute, 60);
  if (hour === '*' && minutes !== undefined) return `Every ${minutes} minutes`;
  if (!/^\d+$/.test(minute)) return undefined;
  const step = stepOf(hour, 24);
  if (hour !== '*' && step === undefined) return undefined;
  const hours = step === undefined ? 'Every hour' : `Every ${step} hours`;
  return Number(minute) === 0 ? hours : `${hours} at minute ${Number(minute)}`;
}

/** A step that does not divide the whole has a shorter last interval, so it is not put into words. */
function stepOf(field: string, whole: number): number | undefined {
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1]);
  return step > 1 && whole % step === 0 ? step : undefined;
}

function daysText(day: string, weekday: string): string | undefined {
  if (weekday === '*') return /^\d+$/.test(day) ? `On day ${Number(day)} of each month` : undefined;
  if (day !== '*') return undefined;
  if (/^(1-5|mon-fri)$/i.test(weekday)) return 'Every weekday';
  const names = weekday.split(',').map(dayName);
  return names.every((name) => name !== undefined) ? `Every ${listText(names)}` : undefined;
}

function dayName(day: string): string | undefined {
  return /^[0-7]$/.test(day)
    ? DAYS[Number(day)]
    : DAYS.find((name) => name.slice(0, 3).toLowerCase() === day.toLowerCase());
}

function at(days: string, minute: string, hour: string): string | undefined {
  if (!/^\d+$/.test(minute) || !/^\d+(,\d+)*$/.test(hour)) return undefined;
  const times = hour.split(',').map((each) => `${Number(each)}:${minute.padStart(2, '0')}`);
  return `${days} at ${listText(times)}`;
}
