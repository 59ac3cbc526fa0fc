import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

const HOUR_MILLIS = 3_600_000;

export const apiConfig = defineDerivedConfig(
  {
    title: 'API',
    readBy: ['api'],
    settings: {
      console: setting.oneOf('CONSOLE', {
        values: ['on', 'off'],
        default: 'on',
        description: 'Whether the api serves the console, the web app for people, at `/console/`.',
      }),
      cursorHours: setting.integer('CURSOR_HOURS', {
        default: 24,
        min: 1,
        max: 720,
        unit: 'hours',
        description: 'Time for which the cursor of a list is valid.',
      }),
      runEventsMaxStreams: setting.integer('RUN_EVENTS_MAX_STREAMS', {
        default: 1_000,
        min: 0,
        max: 100_000,
        unit: 'streams',
        description:
          'Maximum number of concurrent streams (GET /v1/runs/{id}/events) of one api process. Further requests get status 503.',
      }),
      stallLimitMillis: setting.integer('API_STALL_LIMIT_MS', {
        default: 60_000,
        min: 1_000,
        max: 3_600_000,
        unit: 'milliseconds',
        description:
          'Time for which the event loop may be blocked before /healthz of an api responds with 503. A shorter block delays requests, but ' +
          'not the emergency stop, /healthz and /metrics, which a separate thread serves.',
      }),
    },
  },
  ({ cursorHours, ...values }) => ({ ...values, cursorMillis: cursorHours * HOUR_MILLIS }),
);
export type ApiConfig = ConfigOf<typeof apiConfig>;
