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
        'Programs that tools of the type mcp with the transport stdio may start on api and worker. Write each ' +
        'program exactly as the definitions do, for example `/opt/mcp/files`. People who may create agents choose ' +
        'the arguments of the program.',
    }),
  },
});
export type McpConfig = ConfigOf<typeof mcpConfig>;
