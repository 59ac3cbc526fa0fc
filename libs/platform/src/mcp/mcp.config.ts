import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const mcpConfig = defineConfig({
  title: 'MCP servers',
  readBy: ['api', 'worker'],
  settings: {
    mcpStdioCommands: setting.list('MCP_STDIO_COMMANDS', {
      accepts: (command) => command !== '',
      allowed: 'programs, separated by commas',
      defaultNote: 'none',
      description:
        'Programs that tools of type mcp may start on api and worker (transport stdio), as definitions write them, for example ' +
        '`/opt/mcp/files`. People who may create agents choose the arguments.',
    }),
  },
});
export type McpConfig = ConfigOf<typeof mcpConfig>;
