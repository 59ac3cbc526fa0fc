import { type DynamicModule, Module } from '@nestjs/common';
import type { Env } from './env.js';

/** Injection token of the process's {@link Env}: `@Inject(ENV) env: Env`. */
export const ENV = Symbol('ENV');

/** Makes the validated environment injectable everywhere. Imported once, by each app's root module. */
@Module({})
export class EnvModule {
  static of(env: Env): DynamicModule {
    return { module: EnvModule, global: true, providers: [{ provide: ENV, useValue: env }], exports: [ENV] };
  }
}
