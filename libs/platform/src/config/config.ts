import { invariant } from '@app/kernel';
import { EnvironmentReader, type EnvironmentSource } from './environment-reader.js';
import type { FeatureConfig } from './feature-config.js';

export class Config {
  private constructor(private readonly values: ReadonlyMap<FeatureConfig, object>) {}

  /**
   * Unknown variables are ignored. `check` reports settings that contradict each other.
   * @throws ConfigurationError with one line per mistake
   */
  static load(
    features: readonly FeatureConfig[],
    source: EnvironmentSource = process.env,
    check: (config: Config, reader: EnvironmentReader) => void = () => undefined,
  ): Config {
    const reader = new EnvironmentReader(source);
    const config = new Config(new Map(features.map((feature) => [feature, feature.read(reader)])));
    check(config, reader);
    reader.finish();
    return config;
  }

  get features(): FeatureConfig[] {
    return [...this.values.keys()];
  }

  get<T extends object>(feature: FeatureConfig<T>): T {
    const values = this.values.get(feature);
    invariant(values, `the settings "${feature.title}" are in the list of features`);
    return values as T;
  }
}
