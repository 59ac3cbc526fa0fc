import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

const days = (name: string, fallback: number, description: string) =>
  setting.integer(name, { default: fallback, min: 0, max: 36_500, unit: 'days', description });

export const retentionConfig = defineConfig({
  title: 'Retention',
  readBy: ['worker'],
  settings: {
    traceRetentionDays: days(
      'TRACE_RETENTION_DAYS',
      30,
      'Days after the end of a run until its trace is deleted (the requests and responses of its steps). Usage sums are not deleted. 0 means never.',
    ),
    runRetentionDays: days(
      'RUN_RETENTION_DAYS',
      365,
      'Days after the end of a run until it is deleted with its approvals and events. Runs of evaluations are not deleted. 0 means never.',
    ),
    auditRetentionDays: days(
      'AUDIT_RETENTION_DAYS',
      0,
      'Days after the last day of a month until the audit log entries of this month are deleted. 0 means never.',
    ),
    triggerLogRetentionDays: setting.integer('TRIGGER_LOG_RETENTION_DAYS', {
      default: 30,
      min: 1,
      max: 3_650,
      unit: 'days',
      description: 'Days after the last day of a month until the trigger log entries of this month are deleted.',
    }),
  },
});
export type RetentionConfig = ConfigOf<typeof retentionConfig>;
