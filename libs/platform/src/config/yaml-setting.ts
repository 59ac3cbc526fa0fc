import { readFileSync } from 'node:fs';
import { isJsonObject } from '@app/kernel';
import { parse } from 'yaml';
import type { EnvironmentReader } from './environment-reader.js';

const INLINE = /\n|^(providers:|\{)/;

/**
 * If reading or parsing fails, reports an error for `variable` and returns undefined. Inline YAML may contain secret
 * keys, so no error message contains it.
 */
export function readYamlSetting(reader: EnvironmentReader, variable: string, text: string): YamlNode | undefined {
  const isInline = INLINE.test(text);
  try {
    const value: unknown = parse(isInline ? text : readFileSync(text, 'utf8'), { prettyErrors: false });
    return new YamlNode(reader, variable, value, '');
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    if (isInline) reader.reject(variable, undefined, `YAML that begins with "providers:" (${reason})`);
    else reader.reject(variable, text, `YAML, or the path of a YAML file that can be read (${reason})`);
    return undefined;
  }
}

/** Error messages contain its path but never the value, because the value may be a secret key. */
export class YamlNode {
  constructor(
    private readonly reader: EnvironmentReader,
    private readonly variable: string,
    readonly value: unknown,
    private readonly path: string,
  ) {}

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  member(key: string): YamlNode {
    const value = isJsonObject(this.value) ? this.value[key] : undefined;
    return new YamlNode(this.reader, this.variable, value, this.path === '' ? key : `${this.path}.${key}`);
  }

  entries(): [string, YamlNode][] {
    if (this.isAbsent) return [];
    if (!isJsonObject(this.value)) {
      this.reject('an object');
      return [];
    }
    return Object.keys(this.value).map((key) => [key, this.member(key)]);
  }

  allowKeys(keys: readonly string[]): void {
    for (const [key, node] of this.entries())
      if (!keys.includes(key)) node.reject(`one of the keys ${keys.join(', ')}`);
  }

  textOrVariable(key: string): string | null {
    const [text, variable] = [this.member(key), this.member(`${key}_env`)];
    if (!text.isAbsent) return String(text.value);
    if (variable.isAbsent) return null;
    const value = this.reader.text(String(variable.value));
    if (value === undefined) variable.reject('the name of a variable that is set');
    return value ?? null;
  }

  reject(allowed: string): void {
    this.reader.reject(`${this.variable}: ${this.path || 'the file'}`, undefined, allowed);
  }
}
