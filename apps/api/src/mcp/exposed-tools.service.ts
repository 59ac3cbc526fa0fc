import { Injectable } from '@nestjs/common';
import { ProtocolError, ProtocolErrorCode, type Tool, type ToolAnnotations } from '@modelcontextprotocol/server';
import { AgentsService, CompiledVersionsService } from '@app/agents';
import {
  blocksOf,
  type CompiledDefinition,
  type CompiledStep,
  type McpExposure,
  type ToolOperation,
} from '@app/definition';
import { DomainError, isId, type JsonValue } from '@app/kernel';
import { agentsOf, type Principal, seesAgent } from '@app/workspace';
import { RUN_OUTPUT } from './call-results.js';
import { OWN_TOOLS } from './own-tools.js';

const MAX_PAGE = 100;

/** An agent that the caller can start as a tool. */
export interface ExposedTool {
  agentId: string;
  version: number;
  definition: CompiledDefinition;
  exposure: McpExposure;
}

type Effects = Required<Pick<ToolAnnotations, 'readOnlyHint' | 'destructiveHint'>>;

/** Finds the agents that the caller can use as tools. */
@Injectable()
export class ExposedToolsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly versions: CompiledVersionsService,
  ) {}

  /** @throws ProtocolError -32602 for a wrong cursor */
  async list(principal: Principal, cursor: JsonValue | undefined): Promise<{ tools: Tool[]; nextCursor?: string }> {
    const after = cursor === undefined ? undefined : toolOf(cursor);
    const own = Object.values(OWN_TOOLS).filter(
      ({ scope, tool }) => principal.scopes.has(scope) && tool.name > (after ?? ''),
    );
    const agents = principal.scopes.has('agents:run')
      ? await this.agents.exposed(principal.workspaceId, { after, ids: agentsOf(principal), limit: MAX_PAGE + 1 })
      : [];
    const names = [...own.map(({ tool }) => tool.name), ...agents.flatMap(({ mcpTool }) => mcpTool ?? [])].sort(
      byCodePoints,
    );
    const last = names.length > MAX_PAGE ? names[MAX_PAGE - 1] : undefined;
    const shown = last === undefined ? agents : agents.filter(({ mcpTool }) => mcpTool !== null && mcpTool <= last);
    const described = await Promise.all(shown.map((agent) => this.described(principal, agent)));
    const tools = [
      ...own.map(({ tool }) => tool).filter(({ name }) => last === undefined || name <= last),
      ...described.flat(),
    ];
    tools.sort((one, other) => byCodePoints(one.name, other.name));
    return { tools, ...(last !== undefined && { nextCursor: cursorOf(last) }) };
  }

  /** Returns undefined if the tool does not exist for the caller. */
  async find(principal: Principal, tool: string): Promise<ExposedTool | undefined> {
    if (!principal.scopes.has('agents:run')) return undefined;
    const agent = await this.agents.exposedAs(principal.workspaceId, tool);
    if (!agent || !seesAgent(principal, agent.id)) return undefined;
    return this.exposed(principal.workspaceId, agent.id, tool);
  }

  private async described(
    { workspaceId }: Principal,
    { id, name, mcpTool }: { id: string; name: string; mcpTool: string | null },
  ): Promise<Tool[]> {
    const found = mcpTool === null ? undefined : await this.exposed(workspaceId, id, mcpTool);
    if (!found) return [];
    const { exposure, definition } = found;
    const { tool, description, inputSchema } = exposure;
    const effects = await this.effects(workspaceId, definition, new Set([id]));
    return [
      {
        name: tool,
        description,
        inputSchema: { ...inputSchema, type: 'object' },
        outputSchema: RUN_OUTPUT,
        annotations: { title: name, ...effects },
      },
    ];
  }

  /** Returns the production version that is this tool. The cached version may be older than the promotion of the tool. */
  private async exposed(workspaceId: string, agentId: string, tool: string): Promise<ExposedTool | undefined> {
    for (const isLast of [false, true]) {
      const { version, definition } = await this.versions.production(workspaceId, agentId);
      if (definition.mcp?.tool === tool) return { agentId, version, definition, exposure: definition.mcp };
      if (!isLast) this.versions.invalidateProduction(workspaceId, agentId);
    }
    return undefined;
  }

  /** An agent that the definition uses as a tool counts as a write, unless that agent writes nothing itself. */
  private async effects(workspaceId: string, definition: CompiledDefinition, seen: Set<string>): Promise<Effects> {
    const { tools } = definition;
    const own = usableOperations(definition).filter(({ tool }) => tools.get(tool)?.kind !== 'agent');
    const called = [...tools.values()].flatMap((tool) => (tool.kind === 'agent' ? [tool.agent] : []));
    const effects = await Promise.all(called.map((agent) => this.effectsOf(workspaceId, agent, seen)));
    return {
      readOnlyHint: own.every(({ scope }) => scope === 'read') && effects.every(({ readOnlyHint }) => readOnlyHint),
      destructiveHint:
        own.some(({ effect }) => effect === 'at_most_once') || effects.some(({ destructiveHint }) => destructiveHint),
    };
  }

  private async effectsOf(workspaceId: string, agent: string, seen: Set<string>): Promise<Effects> {
    const id = isId('agent', agent) ? agent : await this.agents.idByName(workspaceId, agent);
    if (id === undefined) return { readOnlyHint: false, destructiveHint: false };
    if (seen.has(id)) return { readOnlyHint: true, destructiveHint: false };
    seen.add(id);
    try {
      const { definition } = await this.versions.production(workspaceId, id);
      return await this.effects(workspaceId, definition, seen);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      return { readOnlyHint: false, destructiveHint: false };
    }
  }
}

/** Every definition has the built-in tool `notify`, which only steps can use. */
function usableOperations({ operations, tools, steps, onFailure }: CompiledDefinition): ToolOperation[] {
  const called = calledOperations([...steps, ...onFailure]);
  return [...operations.values()].filter(({ tool, fullName }) => {
    const used = tools.get(tool);
    const isNotify = used?.kind === 'email' && used.to === null && !used.computedTo;
    return !isNotify || called.includes(fullName);
  });
}

function calledOperations(steps: readonly CompiledStep[]): string[] {
  return steps.flatMap((step) => [
    ...(step.kind === 'tool' ? [step.operation] : []),
    ...blocksOf(step).flatMap(calledOperations),
  ]);
}

function byCodePoints(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function cursorOf(tool: string): string {
  return Buffer.from(tool).toString('base64url');
}

/** @throws ProtocolError -32602 */
function toolOf(cursor: JsonValue): string {
  const tool = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  if (/^[a-z][a-z0-9_]{0,62}$/.test(tool) && cursorOf(tool) === cursor) return tool;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is not one that this server returned.');
}
