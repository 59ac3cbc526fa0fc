import { resolve } from 'node:path';
import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const dataDirectoryConfig = defineDerivedConfig(
  {
    title: 'Data directory',
    readBy: ['api', 'worker', 'npm start'],
    settings: {
      directory: setting.text('DATA_DIR', {
        allowed: 'a path',
        defaultNote: '`.data`',
        description:
          'Directory that contains the files of workspaces. With `npm start`, it also contains the embedded Postgres, ' +
          'admin.key and encryption.key. In a fleet, all apis and workers need the same directory.',
      }),
    },
  },
  ({ directory }) => ({ dataDir: resolve(directory ?? '.data') }),
);
export type DataDirectoryConfig = ConfigOf<typeof dataDirectoryConfig>;
