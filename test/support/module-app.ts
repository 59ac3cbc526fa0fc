import { randomBytes } from 'node:crypto';
import { Clock } from '@app/kernel';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { createTestDatabase } from './postgres.js';
import { settingsModule } from './settings-module.js';

interface ModuleSettings {
  env?: Record<string, string>;
  clock?: Clock;
  poolSize?: number;
}

export interface ModuleApp {
  app: TestingModule;
  /** Closes the application and drops its database. */
  close: () => Promise<void>;
}

/** Starts modules of a lib with a database of their own. */
export async function startModules(
  modules: NonNullable<ModuleMetadata['imports']>,
  { env = {}, clock, poolSize = 10 }: ModuleSettings = {},
): Promise<ModuleApp> {
  const database = await createTestDatabase();
  const { url } = database;
  const building = Test.createTestingModule({
    imports: [
      settingsModule({ DATABASE_URL: url, ENCRYPTION_KEY: randomBytes(32).toString('hex'), ...env }),
      CryptoModule,
      DatabaseModule.of({ url, poolSize, applicationName: 'module-test' }),
      ...modules,
    ],
  });
  const app = await (clock ? building.overrideProvider(Clock).useValue(clock) : building).compile();
  const close = async (): Promise<void> => {
    await app.close();
    await database.drop();
  };
  return { app, close };
}
