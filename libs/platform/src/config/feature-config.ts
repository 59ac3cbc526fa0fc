import type { EnvironmentReader } from './environment-reader.js';
import type { ProcessName, Setting } from './setting.js';

type Settings = Readonly<Record<string, Setting>>;
type Values<S extends Settings> = { readonly [Key in keyof S]: S[Key] extends Setting<infer T> ? T : never };

export interface FeatureConfig<T extends object = object> {
  readonly KEY: symbol;
  readonly title: string;
  readonly readBy: readonly ProcessName[];
  readonly settings: readonly Setting[];
  read(reader: EnvironmentReader): T;
}

export type ConfigOf<F> = F extends FeatureConfig<infer T> ? T : never;

interface Declaration<S extends Settings> {
  title: string;
  readBy: readonly ProcessName[];
  settings: S;
}

export function defineConfig<const S extends Settings>(declaration: Declaration<S>): FeatureConfig<Values<S>> {
  return defineDerivedConfig(declaration, (values) => values);
}

/** `derive` reports mistakes of the operator with `reader.reject`. */
export function defineDerivedConfig<const S extends Settings, T extends object>(
  { title, readBy, settings }: Declaration<S>,
  derive: (values: Values<S>, reader: EnvironmentReader) => T,
): FeatureConfig<T> {
  const entries = Object.entries(settings);
  return {
    KEY: Symbol(title),
    title,
    readBy,
    settings: entries.map(([, each]) => each),
    read: (reader) => {
      const values = Object.fromEntries(entries.map(([key, each]) => [key, each.read(reader)]));
      return Object.freeze(derive(values as Values<S>, reader));
    },
  };
}
