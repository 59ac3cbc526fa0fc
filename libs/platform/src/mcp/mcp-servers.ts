import { createHash } from 'node:crypto';
import { canonicalJson, type Clock, type JsonObject } from '@app/kernel';
import type { EgressClient } from '@app/platform/egress';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { McpError } from './mcp-error.js';
import type { McpAnswer, McpToolDescription } from './mcp-results.js';
import type { McpCall, McpExchange, McpSession, McpTarget } from './mcp-session.js';

const MAX_IDLE = 8;
const IDLE_MILLIS = 5 * 60_000;
const LEGACY_MILLIS = 10 * 60_000;
const MAX_LEGACY = 1_000;
const LISTED_MILLIS = 5_000;

/** Calls of different owners never share a session. */
export interface McpOwner {
  readonly id: string;
  /** If null, a session ends after five minutes without a call. */
  readonly released: AbortSignal | null;
}

interface OwnedSession {
  readonly key: string;
  readonly owner: McpOwner;
  readonly session: McpSession;
  readonly number: number;
}

interface IdleSession extends OwnedSession {
  readonly since: number;
  /** Set only if `onBeforeSend` prevented the last call. */
  readonly listed?: McpToolDescription[];
}

interface UsableSession {
  readonly owned: OwnedSession;
  readonly tools: McpToolDescription[];
}

/** `inputSchema` is the input schema that the tool had when the agent version was created. */
export interface PinnedToolCall {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly args: JsonObject;
}

/**
 * A server or a program may keep data of its callers, so each session has one owner. If a session is lost after the
 * call was sent, the call fails, so that no call is sent twice.
 */
export class McpServers implements BeforeApplicationShutdown {
  private readonly idle = new Map<string, IdleSession[]>();
  private readonly open = new Set<McpSession>();
  private opened = 0;
  private readonly legacyUntil = new Map<string, number>();
  private stale: NodeJS.Timeout | undefined;

  constructor(
    private readonly egress: EgressClient,
    private readonly clock: Clock,
    private readonly stdioCommands: readonly string[],
  ) {}

  allows(command: string): boolean {
    return this.stdioCommands.includes(command);
  }

  async listTools(target: McpTarget, exchange: McpExchange): Promise<McpToolDescription[]> {
    const session = await this.connect(target, exchange);
    try {
      return await session.listTools(exchange);
    } finally {
      void this.drop(session);
    }
  }

  /**
   * Compares the schema with a tool list of the server that is at most five seconds old. If the server responds that
   * the session is over, which means that it has not executed the call, repeats the call once in a new session.
   * @throws McpError `refused` with `sent: false` if the tool has changed or no longer exists
   */
  async callTool(target: McpTarget, owner: McpOwner, pinned: PinnedToolCall, call: McpCall): Promise<McpAnswer> {
    const first = await this.sessionWithTools(target, owner, call);
    try {
      return await this.callIn(first, pinned, call);
    } catch (error) {
      if (!isSessionOver(error, first.owned.session)) throw error;
      return this.callIn(await this.sessionWithTools(target, owner, call), pinned, call);
    }
  }

  private async callIn(
    { owned, tools }: UsableSession,
    { name, inputSchema, args }: PinnedToolCall,
    call: McpCall,
  ): Promise<McpAnswer> {
    const { session } = owned;
    const tool = tools.find((one) => one.name === name);
    if (!tool || tool.problem !== null || canonicalJson(tool.inputSchema) !== canonicalJson(inputSchema)) {
      this.release(owned);
      throw new McpError('refused', `${changeOf(name, tool)} Create a new version of the agent.`, { sent: false });
    }
    try {
      const answer = await session.callTool(tool, args, call);
      this.release(owned);
      return answer;
    } catch (error) {
      if (session.isWithheld) this.release(owned, tools);
      else if (isDefinite(error) && !isSessionOver(error, session)) this.release(owned);
      else void this.drop(session);
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.stale);
    this.idle.clear();
    await Promise.all([...this.open].map((session) => this.drop(session)));
  }

  /** The list of the tools is at most five seconds old. */
  private async sessionWithTools(target: McpTarget, owner: McpOwner, exchange: McpExchange): Promise<UsableSession> {
    const key = keyOf(target, owner);
    for (;;) {
      const idle = this.takeIdle(key);
      if (idle?.listed && this.clock.monotonicMillis() - idle.since < LISTED_MILLIS) {
        return { owned: idle, tools: idle.listed };
      }
      const owned = idle ?? { key, owner, session: await this.connect(target, exchange), number: ++this.opened };
      if (!idle) owner.released?.addEventListener('abort', () => this.dropIfIdle(owned), { once: true });
      try {
        return { owned, tools: await owned.session.listTools(exchange) };
      } catch (error) {
        void this.drop(owned.session);
        const isOver = error instanceof McpError && (error.reason === 'timeout' || error.reason === 'aborted');
        if (!idle || isOver) throw error;
      }
    }
  }

  private async connect(target: McpTarget, exchange: McpExchange): Promise<McpSession> {
    const { transport } = target;
    if (transport.kind === 'stdio' && !this.allows(transport.command)) {
      const remedy = 'Ask the operator to add it to MCP_STDIO_COMMANDS';
      throw new McpError('disabled', `The program ${transport.command} is not allowed. ${remedy}.`, {
        sent: false,
      });
    }
    // Most processes never open a connection, so the library is loaded with the first one.
    const { McpSession } = await import('./mcp-session.js');
    const server = hashOf([transport, Object.entries(target.headers)]);
    const isLegacy = (this.legacyUntil.get(server) ?? 0) > this.clock.monotonicMillis();
    this.legacyUntil.delete(server);
    const session = await McpSession.open(this.egress, target, exchange, isLegacy);
    this.open.add(session);
    if (session.isLegacy) this.rememberLegacy(server);
    return session;
  }

  private rememberLegacy(server: string): void {
    if (this.legacyUntil.size >= MAX_LEGACY) this.legacyUntil.clear();
    this.legacyUntil.set(server, this.clock.monotonicMillis() + LEGACY_MILLIS);
  }

  /** The session that was opened first serves all calls that do not overlap, so that they find their data in it. */
  private takeIdle(key: string): IdleSession | undefined {
    const [first, ...others] = this.idle.get(key) ?? [];
    this.keep(key, others);
    return first;
  }

  private release({ key, owner, session, number }: OwnedSession, listed?: McpToolDescription[]): void {
    if (!session.isOpen || owner.released?.aborted) return void this.drop(session);
    const idle = { key, owner, session, number, since: this.clock.monotonicMillis(), ...(listed && { listed }) };
    const sessions = [...(this.idle.get(key) ?? []), idle].sort((one, other) => one.number - other.number);
    for (const surplus of sessions.splice(MAX_IDLE)) void this.drop(surplus.session);
    this.keep(key, sessions);
    if (owner.released === null) this.stale ??= setTimeout(() => this.dropStale(), IDLE_MILLIS).unref();
  }

  private dropIfIdle({ key, session }: OwnedSession): void {
    const sessions = this.idle.get(key) ?? [];
    const others = sessions.filter((one) => one.session !== session);
    if (others.length === sessions.length) return;
    this.keep(key, others);
    void this.drop(session);
  }

  private keep(key: string, sessions: IdleSession[]): void {
    if (sessions.length === 0) this.idle.delete(key);
    else this.idle.set(key, sessions);
  }

  private dropStale(): void {
    this.stale = undefined;
    const now = this.clock.monotonicMillis();
    const endless = [...this.idle.values()].flat().filter(({ owner }) => owner.released === null);
    const fresh = endless.filter(({ since }) => now - since < IDLE_MILLIS);
    for (const one of endless) if (!fresh.includes(one)) this.dropIfIdle(one);
    if (fresh.length === 0) return;
    const next = Math.min(...fresh.map(({ since }) => since)) + IDLE_MILLIS - now;
    this.stale = setTimeout(() => this.dropStale(), next).unref();
  }

  private async drop(session: McpSession): Promise<void> {
    await session.close();
    this.open.delete(session);
  }
}

function changeOf(name: string, tool: McpToolDescription | undefined): string {
  if (!tool) return `The MCP server no longer offers the tool ${name}, which this agent version uses.`;
  if (tool.problem !== null) return `The MCP tool ${name} can no longer be called: ${tool.problem}.`;
  return `The input schema of the MCP tool ${name} has changed since this agent version was created.`;
}

function isDefinite(error: unknown): boolean {
  return error instanceof McpError && (error.reason === 'refused' || error.reason === 'unusable');
}

function isSessionOver(error: unknown, session: McpSession): boolean {
  return session.isNamed && error instanceof McpError && error.response?.status === 404;
}

/** The key is a hash, because headers contain secrets. */
function keyOf({ transport, headers }: McpTarget, { id }: McpOwner): string {
  return hashOf([id, transport, Object.entries(headers)]);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64');
}
