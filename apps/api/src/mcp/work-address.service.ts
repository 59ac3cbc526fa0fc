import { Injectable } from '@nestjs/common';
import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { McpAddress, McpAddressServer } from './mcp-address.js';

/** The address for assistants that use agents. */
@Injectable()
export class WorkAddressService implements McpAddress {
  readonly instructions = 'Each tool starts a run of an agent of this workspace.';

  capabilities(): ServerCapabilities {
    return { tools: {} };
  }

  register(server: McpAddressServer): void {
    server.handle('tools/list', () => ({ tools: [], ttlMs: 60_000, cacheScope: 'private' }));
  }
}
