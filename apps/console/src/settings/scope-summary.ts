import { capitalized, listText } from '../data/texts.js';
import { word } from '../data/words.js';

const READ = ['agents', 'runs', 'approvals', 'knowledge', 'connections', 'files'].map((thing) => `${thing}:read`);

/** Returns the scopes as one line, for example `Read everything, start runs and 3 more`. */
export function scopeSummary(scopes: readonly string[]): string {
  const readsAll = READ.every((scope) => scopes.includes(scope));
  const others = scopes.filter((scope) => !(readsAll && READ.includes(scope)));
  const isRun = (scope: string): boolean => scope === 'agents:run';
  const words = [...others.filter(isRun), ...others.filter((scope) => !isRun(scope))].map((scope) =>
    word('scope', scope),
  );
  const all = [...(readsAll ? ['read everything'] : []), ...words];
  const shown = all.length > 3 ? [...all.slice(0, 2), `${all.length - 2} more`] : all;
  return capitalized(listText(shown));
}
