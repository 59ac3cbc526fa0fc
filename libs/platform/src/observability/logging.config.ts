import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const loggingConfig = defineConfig({
  title: 'Logs',
  readBy: ['api', 'worker', 'migrate'],
  settings: {
    logLevel: setting.oneOf('LOG_LEVEL', {
      values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      description: 'Lowest level of the messages that are logged. `npm start` uses `warn` unless the variable is set.',
    }),
    logFormat: setting.oneOf('LOG_FORMAT', {
      values: ['json', 'pretty'],
      default: 'json',
      description: 'Format of a log line. `npm start` uses `pretty` unless the variable is set.',
    }),
  },
});
export type LoggingConfig = ConfigOf<typeof loggingConfig>;
