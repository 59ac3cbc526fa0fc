import { resolve } from 'node:path';
import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const standaloneConfig = defineDerivedConfig(
  {
    title: 'npm start',
    readBy: ['npm start'],
    settings: {
      directory: setting.text('DATA_DIR', {
        allowed: 'a path',
        defaultNote: '`.data`',
        description: 'Directory that contains the embedded Postgres, admin.key and encryption.key.',
      }),
      workers: setting.integer('WORKERS', {
        default: 1,
        min: 1,
        max: 64,
        unit: 'processes',
        description: 'Number of worker processes that `npm start` starts.',
      }),
    },
  },
  ({ directory, workers }) => ({
    dataDir: resolve(directory ?? '.data'),
    workers,
  }),
);
export type StandaloneConfig = ConfigOf<typeof standaloneConfig>;
