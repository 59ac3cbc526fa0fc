import { formatBytes } from '../ui/format-values.js';

/** What the keyword `file` of a schema allows. */
export interface FileRule {
  /** Media types and ranges such as `image/*`. Empty: every type. */
  accept: readonly string[];
  /** In bytes. Null: no limit of its own. */
  max: number | null;
}

const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Returns the rule of a schema with the keyword `file`, and undefined for any other schema. */
export function fileRule(schema: unknown): FileRule | undefined {
  const { file } = (schema ?? {}) as { file?: unknown };
  if (typeof file !== 'object' || file === null || Array.isArray(file)) return undefined;
  const { accept = [], max } = file as { accept?: unknown; max?: unknown };
  const types: unknown[] = Array.isArray(accept) ? accept : [accept];
  return { accept: types.map(String), max: sizeOf(max) };
}

function sizeOf(max: unknown): number | null {
  if (typeof max === 'number') return max;
  const [, count, unit = ''] = /^(\d+) ?(KiB|MiB|GiB)$/.exec(typeof max === 'string' ? max : '') ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? 1);
}

const NAMES: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  'application/json': 'JSON',
  'image/*': 'images',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'text/*': 'text',
  'text/plain': 'plain text',
  'text/csv': 'CSV',
  'text/markdown': 'Markdown',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel',
};

/** Returns the rule as text, for example `PDF, images. At most 20 MiB.` Empty if everything is allowed. */
export function ruleText({ accept, max }: FileRule): string {
  const types = accept.map((type) => NAMES[type] ?? type).join(', ');
  return [types === '' ? '' : `${types}.`, max === null ? '' : `At most ${formatBytes(max)}.`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Returns why a file of this size may not be sent. */
export function sizeProblem({ max }: FileRule, { name, size }: { name: string; size: number }): string | undefined {
  if (max === null || size <= max) return undefined;
  return `${name} has ${formatBytes(size)}. Choose a file of at most ${formatBytes(max)}.`;
}

/** Returns why the service would reject a file with this type, which it has found by the bytes. */
export function typeProblem(
  { accept }: FileRule,
  { filename, content_type: type, bytes }: { filename: string; content_type: string; bytes: number },
): string | undefined {
  if (accept.length === 0 || accept.some((range) => includes(range, type))) return undefined;
  return `${filename} is ${bytes === 0 ? 'empty' : (NAMES[type] ?? type)}. Choose one of these types: ${accept.map((each) => NAMES[each] ?? each).join(', ')}.`;
}

/** A range never means SVG, which can run scripts. */
function includes(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) && type !== 'image/svg+xml';
}
