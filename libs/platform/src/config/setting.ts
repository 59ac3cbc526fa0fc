import { type EnvironmentReader, type IntegerRange, KEY_FORM } from './environment-reader.js';

export type ProcessName = 'api' | 'worker' | 'migrate' | 'npm start';

export interface SettingHelp {
  description: string;
  unit?: string;
  defaultNote?: string;
  /** Default: the processes that use the feature. */
  readBy?: readonly ProcessName[];
  example?: string;
}

export interface Setting<T = unknown> {
  readonly name: string;
  readonly help: SettingHelp;
  readonly defaultText: string;
  readonly allowed: string;
  read(reader: EnvironmentReader): T;
}

type Help<More = object> = SettingHelp & More;

export const setting = {
  integer: (name: string, help: Help<IntegerRange>): Setting<number> => ({
    name,
    help,
    defaultText: String(help.default),
    allowed: `${help.min} to ${help.max}`,
    read: (reader) => reader.integer(name, help),
  }),

  text: (name: string, help: Help<{ allowed: string }>): Setting<string | undefined> => ({
    name,
    help,
    defaultText: '',
    allowed: help.allowed,
    read: (reader) => reader.text(name),
  }),

  matching: (name: string, help: Help<{ pattern: RegExp; allowed: string; default: string }>): Setting<string> => ({
    name,
    help,
    defaultText: help.default,
    allowed: help.allowed,
    read: (reader) => reader.matching(name, help.pattern, help.allowed) ?? help.default,
  }),

  oneOf: <const T extends string>(name: string, help: Help<{ values: readonly T[]; default: T }>): Setting<T> => ({
    name,
    help,
    defaultText: help.default,
    allowed: help.values.join(', '),
    read: (reader) => reader.oneOf(name, help.values, help.default),
  }),

  list: (name: string, help: Help<{ accepts: (entry: string) => boolean; allowed: string }>): Setting<string[]> => ({
    name,
    help,
    defaultText: '',
    allowed: help.allowed,
    read: (reader) => reader.list(name, help.accepts, help.allowed),
  }),

  /** If `secret` is true, error messages do not show the value, because it may contain a password. */
  url: (name: string, help: Help<{ schemes: readonly string[]; secret: boolean }>): Setting<string | undefined> => ({
    name,
    help,
    defaultText: '',
    allowed: help.schemes.map((scheme) => `${scheme}://`).join(' or '),
    read: (reader) => reader.url(name, help.schemes, help),
  }),

  keys: (name: string, help: Help): Setting<Buffer[]> => ({
    name,
    help,
    defaultText: '',
    allowed: KEY_FORM,
    read: (reader) => reader.keys(name),
  }),
};
