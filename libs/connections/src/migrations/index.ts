import { join } from 'node:path';
import type { LibSchema } from '@app/platform/database';
import { OauthTokens1795600200000 } from './1795600200000-oauth-tokens.js';
import { Connections1795600300000 } from './1795600300000-connections.js';

export const connectionsSchema: LibSchema = {
  baseline: {
    name: 'ConnectionsBaseline1768000000100',
    path: join(import.meta.dirname, '1768000000100-connections-baseline.sql'),
  },
  migrations: [OauthTokens1795600200000, Connections1795600300000],
};
