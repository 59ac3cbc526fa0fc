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
          'Streams (GET /v1/runs/{id}/events) that one api process serves at the same time. Further requests are answered 503.',
      }),
      stallLimitMillis: setting.integer('API_STALL_LIMIT_MS', {
        default: 60_000,
        min: 1_000,
        max: 3_600_000,
        unit: 'milliseconds',
        description:
          'Time without a turn of the event loop after which /healthz of an api answers 503. A shorter block delays requests, but ' +
          'not the emergency stop, /healthz and /metrics: a thread of their own serves them.',
      }),
    },
  },
  ({ cursorHours, ...values }) => ({ ...values, cursorMillis: cursorHours * HOUR_MILLIS }),
);
export type ApiConfig = ConfigOf<typeof apiConfig>;
