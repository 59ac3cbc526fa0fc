import type { DynamicModule } from '@nestjs/common';
import { loadSettings } from '@app/installation/settings';
import { ConfigModule, type EnvironmentSource } from '@app/platform/config';

/** Returns a NestJS module with the settings of all features, parsed from these environment variables. */
export function settingsModule(source: EnvironmentSource): DynamicModule {
  return ConfigModule.of(loadSettings(source));
}
