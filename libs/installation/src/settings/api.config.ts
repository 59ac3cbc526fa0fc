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
        description: 'Whether the api serves the console at `/console/`. The console is the web app for people.',
      }),
      mcpServer: setting.oneOf('MCP_SERVER', {
        values: ['on', 'off'],
        default: 'on',
        description:
          'Whether the api serves the Model Context Protocol at `/v1/mcp` and `/v1/mcp/author`. Every call needs an ' +
          'API key, and an agent is a tool only if its definition says so.',
      }),
      mcpMaxWaits: setting.integer('MCP_MAX_WAITS', {
        default: 200,
        min: 0,
        max: 100_000,
        unit: 'calls',
        description:
          'Maximum number of calls at `/v1/mcp` that wait for their run in one api process. Further calls are answered ' +
          'at once. With 0, no call waits.',
      }),
      mcpOauth: setting.oneOf('MCP_OAUTH', {
        values: ['on', 'off'],
        default: 'off',
        description:
          'Whether clients of `/v1/mcp` and `/v1/mcp/author` can get access by OAuth instead of an API key: a person ' +
          'signs in to the console and chooses the agents. Requires a PUBLIC_URL with https and without a path. API ' +
          'keys work as well, but some clients ignore a configured key as soon as the service offers OAuth.',
      }),
      mcpRegistration: setting.oneOf('MCP_DCR', {
        values: ['on', 'off'],
        default: 'off',
        description:
          'Whether any client can register itself (RFC 7591), with MCP_OAUTH=on. Only for clients that have neither a ' +
          'metadata document nor a registration by an admin.',
      }),
      cursorHours: setting.integer('CURSOR_HOURS', {
        default: 24,
        min: 1,
        max: 720,
        unit: 'hours',
        description: 'Time for which a cursor of a list and a `since` of the changes feed are valid.',
      }),
      runEventsMaxStreams: setting.integer('RUN_EVENTS_MAX_STREAMS', {
        default: 1_000,
        min: 0,
        max: 100_000,
        unit: 'streams',
        description:
          'Maximum number of concurrent event streams (GET /v1/runs/{id}/events) of one api process. Further ' +
          'requests get status 503.',
      }),
      stallLimitMillis: setting.integer('API_STALL_LIMIT_MS', {
        default: 60_000,
        min: 1_000,
        max: 3_600_000,
        unit: 'milliseconds',
        description:
          'If the event loop of an api is blocked for longer than this time, /healthz at its STOP_PORT returns 503. A ' +
          'block delays requests, but not the emergency stop, /healthz and /metrics at this port.',
      }),
    },
  },
  ({ cursorHours, ...values }) => ({ ...values, cursorMillis: cursorHours * HOUR_MILLIS }),
);
export type ApiConfig = ConfigOf<typeof apiConfig>;
