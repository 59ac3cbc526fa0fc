import { createHash } from 'node:crypto';
import { canonicalJson, type Clock, type JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { OnApplicationShutdown } from '@nestjs/common';
import { McpError } from './mcp-error.js';
import type { McpAnswer, McpToolDescription } from './mcp-results.js';
import type { McpCall, McpExchange, McpSession, McpTarget } from './mcp-session.js';

const MAX_IDLE = 8;
const IDLE_MILLIS = 5 * 60_000;
/**
 * Maximum age in milliseconds of a cached tool list. A tool list is cached only if the call that needed it was not sent
 * because `onBeforeSend` returned false.
 */
const LISTED_MILLIS = 5_000;

interface IdleSession {
  readonly session: McpSession;
  readonly since: number;
  /** The cached tool list of the server. Set only if `onBeforeSend` prevented the last call. */
  readonly listed?: McpToolDescription[];
}

/** A tool call. `inputSchema` is the input schema that the tool had when the agent version was created. */
export interface PinnedToolCall {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly args: JsonObject;
}

/**
 * Calls tool servers over pooled connections. If a pooled connection is lost before the call is sent, the call uses a
 * new connection. If a connection is lost after the call was sent, the call fails, so that no call is sent twice.
 */
export class McpServers implements OnApplicationShutdown {
  private readonly idle = new Map<string, IdleSession[]>();
  private readonly open = new Set<McpSession>();

  /** @param stdioCommands programs that definitions may start on this machine */
  constructor(
    private readonly egress: EgressClient,
    private readonly clock: Clock,
    private readonly stdioCommands: readonly string[],
  ) {}

  allows(command: string): boolean {
    return this.stdioCommands.includes(command);
  }

  /** @throws McpError */
  async listTools(target: McpTarget, exchange: McpExchange): Promise<McpToolDescription[]> {
    const { session, tools } = await this.connectionWithTools(target, exchange);
    this.release(target, session);
    return tools;
  }

  /**
   * Calls a tool if its input schema has not changed since the agent version was created. Compares the schema with a
   * tool list of the server that is at most five seconds old.
   * @throws McpError `refused` with `sent: false` if the tool has changed or no longer exists
   */
  async callTool(target: McpTarget, { name, inputSchema, args }: PinnedToolCall, call: McpCall): Promise<McpAnswer> {
    const { session, tools } = await this.connectionWithTools(target, call);
    const tool = tools.find((one) => one.name === name);
    if (!tool || canonicalJson(tool.inputSchema) !== canonicalJson(inputSchema)) {
      this.release(target, session);
      const what = tool
        ? `The input schema of the MCP tool ${name} has changed since this agent version was created.`
        : `The MCP server no longer offers the tool ${name}, which this agent version uses.`;
      throw new McpError('refused', `${what} Create a new version of the agent.`, { sent: false });
    }
    try {
      const answer = await session.callTool(name, args, call);
      this.release(target, session);
      return answer;
    } catch (error) {
      // If the permission to start the call expired while the connection was opening, `onBeforeSend` has prevented the
      // call. The next attempt reuses the connection and the tool list.
      if (session.isWithheld) this.release(target, session, tools);
      else if (error instanceof McpError && error.reason === 'refused') this.release(target, session);
      else await this.drop(session);
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.idle.clear();
    await Promise.all([...this.open].map((session) => this.drop(session)));
  }

  /** Returns a connection and the tools of its server. The list of the tools is at most five seconds old. */
  private async connectionWithTools(
    target: McpTarget,
    exchange: McpExchange,
  ): Promise<{ session: McpSession; tools: McpToolDescription[] }> {
    const { transport } = target;
    if (transport.kind === 'stdio' && !this.allows(transport.command)) {
      const remedy = 'Ask the operator to add it to MCP_STDIO_COMMANDS';
      throw new McpError('disabled', `The program ${transport.command} is not allowed. ${remedy}.`, {
        sent: false,
      });
    }
    for (;;) {
      const idle = this.takeIdle(target);
      if (idle?.listed && this.clock.monotonicMillis() - idle.since < LISTED_MILLIS) {
        return { session: idle.session, tools: idle.listed };
      }
      const kept = idle?.session;
      const session = kept ?? (await this.connect(target, exchange));
      try {
        return { session, tools: await session.listTools(exchange) };
      } catch (error) {
        await this.drop(session);
        const isOver = error instanceof McpError && (error.reason === 'timeout' || error.reason === 'aborted');
        if (!kept || isOver) throw error;
      }
    }
  }

  private async connect(target: McpTarget, exchange: McpExchange): Promise<McpSession> {
    // Most processes never open a connection, so the library is loaded with the first one.
    const { McpSession } = await import('./mcp-session.js');
    const session = await McpSession.open(this.egress, target, exchange);
    this.open.add(session);
    return session;
  }

  private takeIdle(target: McpTarget): IdleSession | undefined {
    return this.idle.get(keyOf(target))?.pop();
  }

  private release(target: McpTarget, session: McpSession, listed?: McpToolDescription[]): void {
    const key = keyOf(target);
    const kept = this.idle.get(key) ?? [];
    if (!session.isOpen || kept.length >= MAX_IDLE) void this.drop(session);
    else this.idle.set(key, [...kept, { session, since: this.clock.monotonicMillis(), ...(listed && { listed }) }]);
    this.dropStale();
  }

  private dropStale(): void {
    const oldest = this.clock.monotonicMillis() - IDLE_MILLIS;
    for (const [key, sessions] of this.idle) {
      const fresh = sessions.filter(({ since }) => since >= oldest);
      for (const { session, since } of sessions) if (since < oldest) void this.drop(session);
      if (fresh.length === 0) this.idle.delete(key);
      else this.idle.set(key, fresh);
    }
  }

  private async drop(session: McpSession): Promise<void> {
    this.open.delete(session);
    await session.close();
  }
}

/**
 * Returns the key of a connection in the pool. Connections with different credentials have different keys. The key is a
 * hash, because headers contain secrets.
 */
function keyOf({ transport, headers }: McpTarget): string {
  return createHash('sha256')
    .update(JSON.stringify([transport, Object.entries(headers)]))
    .digest('base64');
}
