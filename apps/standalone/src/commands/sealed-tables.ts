import { SEALED_AGENT_TABLES } from '@app/agents';
import { SEALED_CONNECTION_TABLES } from '@app/connections';
import type { SealedTable } from '@app/platform/resealing';
import { SEALED_RUN_TABLES } from '@app/runs';
import { SEALED_WEBHOOK_TABLES } from '@app/events';
import { SEALED_WORKSPACE_TABLES } from '@app/workspace';

/**
 * All tables with values that are sealed with the encryption key. Small tables come first, so that a wrong key is
 * reported early.
 */
export const SEALED_TABLES: readonly SealedTable[] = [
  ...SEALED_WORKSPACE_TABLES,
  ...SEALED_AGENT_TABLES,
  ...SEALED_CONNECTION_TABLES,
  ...SEALED_WEBHOOK_TABLES,
  ...SEALED_RUN_TABLES,
];
