import { Global, Module } from '@nestjs/common';
import { ConfigurationError } from '@app/platform/config';
import { type CryptoConfig, cryptoConfig, ENCRYPTION_KEY_MISSING } from './crypto.config.js';
import { SealedBox, type MasterKeys } from './envelope.js';
import { SigningKey } from './signing-key.js';

function masterKeys({ encryptionKey, previousEncryptionKeys }: CryptoConfig): MasterKeys {
  if (encryptionKey === undefined) throw new ConfigurationError([ENCRYPTION_KEY_MISSING]);
  return [encryptionKey, ...previousEncryptionKeys];
}

@Global()
@Module({
  providers: [
    {
      provide: SealedBox,
      inject: [cryptoConfig.KEY],
      useFactory: (config: CryptoConfig) => new SealedBox(masterKeys(config)),
    },
    {
      provide: SigningKey,
      inject: [cryptoConfig.KEY],
      useFactory: (config: CryptoConfig) => new SigningKey(masterKeys(config)),
    },
  ],
  exports: [SealedBox, SigningKey],
})
export class CryptoModule {}
