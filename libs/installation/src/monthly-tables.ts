import type { Config } from '@app/platform/config';
import type { MonthlyTable } from '@app/platform/database';
import { retentionConfig } from '@app/runs';

/** The tables that are partitioned by month. Workers create and drop their partitions. */
export function monthlyTables(config: Config): MonthlyTable[] {
  const { auditRetentionDays, triggerLogRetentionDays } = config.get(retentionConfig);
  return [
    { name: 'audit_events', days: auditRetentionDays },
    { name: 'trigger_events', days: triggerLogRetentionDays },
  ];
}
