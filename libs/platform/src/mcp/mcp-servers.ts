import { createHash } from 'node:crypto';
import { canonicalJson, type Clock, type JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { OnApplicationShutdown } from '@nestjs/common';
import { McpError } from './mcp-error.js';
import type { McpAnswer, McpToolDescription } from './mcp-results.js';
import type { McpCall, McpExchange, McpSession, McpTarget } from './mcp-session.js';

const MAX_IDLE = 8;
const IDLE_MILLIS = 5 * 60_000;
/** How long the tools that were listed for a call that was held back are valid for its next try. */
const LISTED_MILLIS = 5_000;

interface IdleSession {
  readonly session: McpSession;
  readonly since: number;
  /** The tools as the server has just listed them; set when the call that they were listed for was held back. */
  readonly listed?: McpToolDescription[];
}

/** One call: the tool as it was when somebody agreed to it. */
export interface PinnedToolCall {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly args: JsonObject;
}

/**
 * The tool servers that this process talks to. Connections are kept for the next call; one that was lost meanwhile is
 * replaced before a call sets out, never after.
 */
export class McpServers implements OnApplicationShutdown {
  private readonly idle = new Map<string, IdleSession[]>();
  private readonly open = new Set<McpSession>();

  /** `stdioCommands`: the programs that definitions may start on this machine. */
  constructor(
    private readonly egress: EgressClient,
    private readonly clock: Clock,
    private readonly stdioCommands: readonly string[],
  ) {}

  /** Whether the operator allows this program. */
  allows(command: string): boolean {
    return this.stdioCommands.includes(command);
  }

  /** @throws McpError */
  async listTools(target: McpTarget, exchange: McpExchange): Promise<McpToolDescription[]> {
    const { session, tools } = await this.ready(target, exchange);
    this.giveBack(target, session);
    return tools;
  }

  /**
   * Calls a tool if it is still what it was: its schema is compared with what the server says now, just before the call.
   * @throws McpError `refused`, not sent, for a tool that has changed or gone
   */
  async callTool(target: McpTarget, { name, inputSchema, args }: PinnedToolCall, call: McpCall): Promise<McpAnswer> {
    const { session, tools } = await this.ready(target, call);
    const tool = tools.find((one) => one.name === name);
    if (!tool || canonicalJson(tool.inputSchema) !== canonicalJson(inputSchema)) {
      this.giveBack(target, session);
      const what = tool
        ? 'takes other arguments than when this version was created'
        : 'is no longer offered by the server';
      throw new McpError('refused', `The tool ${name} ${what}. Create a new version.`, { sent: false });
    }
    try {
      const answer = await session.callTool(name, args, call);
      this.giveBack(target, session);
      return answer;
    } catch (error) {
      // The permission to start a call may lapse while the connection is made: the next try needs the connection to be there.
      if (session.isHeldBack) this.giveBack(target, session, tools);
      else if (error instanceof McpError && error.reason === 'refused') this.giveBack(target, session);
      else await this.drop(session);
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.idle.clear();
    await Promise.all([...this.open].map((session) => this.drop(session)));
  }

  /** A connection that has just answered. */
  private async ready(
    target: McpTarget,
    exchange: McpExchange,
  ): Promise<{ session: McpSession; tools: McpToolDescription[] }> {
    const { transport } = target;
    if (transport.kind === 'stdio' && !this.allows(transport.command)) {
      const remedy = 'the operator has to name it in MCP_STDIO_COMMANDS';
      throw new McpError('disabled', `The program ${transport.command} may not be started: ${remedy}.`, {
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
    // The library is loaded by the first connection: most processes never open one.
    const { McpSession } = await import('./mcp-session.js');
    const session = await McpSession.open(this.egress, target, exchange);
    this.open.add(session);
    return session;
  }

  private takeIdle(target: McpTarget): IdleSession | undefined {
    return this.idle.get(keyOf(target))?.pop();
  }

  private giveBack(target: McpTarget, session: McpSession, listed?: McpToolDescription[]): void {
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

/** A hash, because headers hold secrets: who has other credentials gets another connection. */
function keyOf({ transport, headers }: McpTarget): string {
  return createHash('sha256')
    .update(JSON.stringify([transport, Object.entries(headers)]))
    .digest('base64');
}
