import type { aas } from '../data/api.js';

/** A file of the workspace, as the API returns it. */
export type StoredFile = Awaited<ReturnType<typeof aas.files.get>>;

/** A file in the input, the output or a request of a run. */
export interface FileValue {
  file: string;
  filename: string;
  content_type: string;
  bytes: number;
  sha256?: string;
}

export const HIDDEN = '[redacted]';

export function valueOfFile({ id, filename, content_type, bytes, sha256 }: StoredFile): FileValue {
  return { file: id, filename, content_type, bytes, sha256 };
}

export function isFileValue(value: unknown): value is FileValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { file, filename, content_type: type, bytes } = value as Partial<Record<keyof FileValue, unknown>>;
  const isId = typeof file === 'string' && /^file_[0-9a-z]{26}$/.test(file);
  return isId && typeof filename === 'string' && typeof type === 'string' && typeof bytes === 'number';
}

/** Returns the files inside a value, at any depth, each file once. */
export function filesIn(value: unknown): FileValue[] {
  const found = new Map<string, FileValue>();
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isFileValue(next)) {
      if (!found.has(next.file)) found.set(next.file, next);
    } else if (typeof next === 'object' && next !== null)
      open.push(...(Object.values(next) as unknown[]).filter((each) => each !== undefined).reverse());
  }
  return [...found.values()];
}
