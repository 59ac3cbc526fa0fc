import type { DynamicModule } from '@nestjs/common';
import { loadSettings } from '@app/installation/settings';
import { ConfigModule, type EnvironmentSource } from '@app/platform/config';

export function settingsModule(source: EnvironmentSource): DynamicModule {
  return ConfigModule.of(loadSettings(source));
}
