import { Global, Module } from '@nestjs/common';
import { ENV, type Env, requireForService } from '@app/platform/config';
import { SealedBox } from './envelope.js';
import type { MasterKeys } from './master-key.js';
import { SigningKey } from './signing-key.js';

function masterKeys(env: Env): MasterKeys {
  return [requireForService(env).encryptionKey, ...env.previousEncryptionKeys];
}

/** Provides {@link SealedBox} and {@link SigningKey} from ENCRYPTION_KEY. Imported once, by each app's root module. */
@Global()
@Module({
  providers: [
    { provide: SealedBox, inject: [ENV], useFactory: (env: Env) => new SealedBox(masterKeys(env)) },
    { provide: SigningKey, inject: [ENV], useFactory: (env: Env) => new SigningKey(masterKeys(env)) },
  ],
  exports: [SealedBox, SigningKey],
})
export class CryptoModule {}
