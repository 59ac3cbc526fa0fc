import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const ENCRYPTION_KEY_MISSING = 'ENCRYPTION_KEY is missing: set it to the output of "openssl rand -base64 32".';

export const cryptoConfig = defineDerivedConfig(
  {
    title: 'Encryption',
    readBy: ['api', 'worker', 'npm start'],
    settings: {
      encryptionKeys: setting.keys('ENCRYPTION_KEY', {
        defaultNote: '`npm start` creates a key in DATA_DIR; required for a fleet',
        description:
          'Key that encrypts stored secrets and signs cursors. Create it with `openssl rand -base64 32`. Keep a ' +
          'backup, because stored secrets cannot be decrypted without it.',
      }),
      previousEncryptionKeys: setting.keys('ENCRYPTION_KEYS_PREVIOUS', {
        description:
          'Previous keys, separated by commas. The service uses them only to decrypt values that they encrypted. ' +
          '`npm run keys -- rotate-encryption` encrypts all values again with ENCRYPTION_KEY, and reports when you ' +
          'may remove the previous keys.',
      }),
    },
  },
  ({ encryptionKeys: [encryptionKey, second], previousEncryptionKeys }, reader) => {
    if (second) reader.reject('ENCRYPTION_KEY', undefined, 'one key; put older keys into ENCRYPTION_KEYS_PREVIOUS');
    return {
      encryptionKey,
      /** Previous keys, used only to open and verify existing values, never to seal or sign. */
      previousEncryptionKeys,
    };
  },
);
export type CryptoConfig = ConfigOf<typeof cryptoConfig>;
