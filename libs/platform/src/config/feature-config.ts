import type { EnvironmentReader } from './environment-reader.js';
import type { ProcessName, Setting } from './setting.js';

type Settings = Readonly<Record<string, Setting>>;
type Values<S extends Settings> = { readonly [Key in keyof S]: S[Key] extends Setting<infer T> ? T : never };

export interface FeatureConfig<T extends object = object> {
  /** Token that injects the values of the settings, for example `@Inject(workerConfig.KEY) config: WorkerConfig`. */
  readonly KEY: symbol;
  /** Heading of the feature in docs/configuration.md. */
  readonly title: string;
  readonly readBy: readonly ProcessName[];
  readonly settings: readonly Setting[];
  read(reader: EnvironmentReader): T;
}

/** Type of the setting values of a {@link FeatureConfig}, as in `type WorkerConfig = ConfigOf<typeof workerConfig>`. */
export type ConfigOf<F> = F extends FeatureConfig<infer T> ? T : never;

interface Declaration<S extends Settings> {
  title: string;
  readBy: readonly ProcessName[];
  settings: S;
}

/** Declares the settings of a feature. The values have the same keys as `settings`. */
export function defineConfig<const S extends Settings>(declaration: Declaration<S>): FeatureConfig<Values<S>> {
  return defineDerivedConfig(declaration, (values) => values);
}

/**
 * Like {@link defineConfig}, but the feature receives the result of `derive` instead of the values. `derive` reports
 * mistakes of the operator with `reader.reject`.
 */
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
