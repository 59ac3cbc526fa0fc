import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const ENCRYPTION_KEY_MISSING = 'ENCRYPTION_KEY is missing: set it to the output of "openssl rand -base64 32".';

export const cryptoConfig = defineDerivedConfig(
  {
    title: 'Encryption',
    readBy: ['api', 'worker', 'npm start'],
    settings: {
      encryptionKeys: setting.keys('ENCRYPTION_KEY', {
        defaultNote: 'kept in DATA_DIR by `npm start`; required for a fleet',
        description:
          'Key that seals stored secrets and signs cursors. Create it with `openssl rand -base64 32`. Back it up, because stored ' +
          'secrets cannot be read without it.',
      }),
      previousEncryptionKeys: setting.keys('ENCRYPTION_KEYS_PREVIOUS', {
        description:
          'Previous keys, separated by commas. They open the values that they sealed. New values are sealed with ENCRYPTION_KEY. ' +
          '`npm run keys -- rotate-encryption` seals all values again with ENCRYPTION_KEY and reports when the previous keys may be removed.',
      }),
    },
  },
  ({ encryptionKeys: [encryptionKey, second], previousEncryptionKeys }, reader) => {
    if (second) reader.reject('ENCRYPTION_KEY', undefined, 'one key; put older keys into ENCRYPTION_KEYS_PREVIOUS');
    return {
      /** 32 bytes. Undefined if ENCRYPTION_KEY is not set. */
      encryptionKey,
      /** Used only to open and verify existing values, never to seal or sign. */
      previousEncryptionKeys,
    };
  },
);
export type CryptoConfig = ConfigOf<typeof cryptoConfig>;
