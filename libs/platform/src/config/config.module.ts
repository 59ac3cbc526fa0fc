import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from './config.js';

@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    const providers = config.features.map((feature) => ({ provide: feature.KEY, useValue: config.get(feature) }));
    return { module: ConfigModule, global: true, providers, exports: providers.map(({ provide }) => provide) };
  }
}
