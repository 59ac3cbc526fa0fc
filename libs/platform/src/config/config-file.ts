import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { EnvReader } from './env-reader.js';

/** YAML itself rather than the path of a file: it has several lines, or begins as its only object does. */
const INLINE = /\n|^(providers:|\{)/;

/**
 * The root of the YAML that a variable holds, or of the file that it names; undefined where it cannot be read, which is a mistake of
 * the variable. Inline text may hold keys, so no message repeats it.
 */
export function readConfig(read: EnvReader, variable: string, text: string): FileNode | undefined {
  const isInline = INLINE.test(text);
  try {
    return new FileNode(
      read,
      variable,
      parse(isInline ? text : readFileSync(text, 'utf8'), { prettyErrors: false }),
      '',
    );
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    if (isInline) read.wrong(variable, undefined, `YAML that begins with "providers:" (${reason})`);
    else read.wrong(variable, text, `YAML, or the path of a YAML file that can be read (${reason})`);
    return undefined;
  }
}

/** A place of the file. Its mistakes are told with the place, and never with the value, which may be a key. */
export class FileNode {
  constructor(
    private readonly read: EnvReader,
    private readonly file: string,
    readonly value: unknown,
    private readonly path: string,
  ) {}

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  member(key: string): FileNode {
    const value = isObject(this.value) ? this.value[key] : undefined;
    return new FileNode(this.read, this.file, value, this.path === '' ? key : `${this.path}.${key}`);
  }

  entries(): [string, FileNode][] {
    if (this.isAbsent) return [];
    if (!isObject(this.value)) {
      this.wrong('an object');
      return [];
    }
    return Object.keys(this.value).map((key) => [key, this.member(key)]);
  }

  allow(keys: readonly string[]): void {
    for (const [key, node] of this.entries())
      if (!keys.includes(key)) node.wrong(`one of ${keys.join(', ')} in its place`);
  }

  /** The text at `key`, or that of the environment variable which `<key>_env` names; null where there is neither. */
  writtenOrNamed(key: string): string | null {
    const [written, named] = [this.member(key), this.member(`${key}_env`)];
    if (!written.isAbsent) return String(written.value);
    if (named.isAbsent) return null;
    const text = this.read.text(String(named.value));
    if (text === undefined) named.wrong('the name of a variable that is set');
    return text ?? null;
  }

  wrong(allowed: string): void {
    this.read.wrong(`${this.file}: ${this.path || 'the file'}`, undefined, allowed);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
