import { didYouMean } from '@app/kernel';

const SHOWN = 10;

/** What to write instead of a name that the other side does not have. */
export function notAmong(name: string, names: readonly string[], ifNone: string): string {
  if (names.length === 0) return ifNone;
  const more = names.length > SHOWN ? ' and more' : '';
  return (
    didYouMean(name, names) ??
    `It has ${names
      .slice(0, SHOWN)
      .map((one) => `\`${one}\``)
      .join(', ')}${more}.`
  );
}
