import type { KnowledgeTool } from '@app/definition';
import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { KnowledgeSearchService, type RunReader, type SearchOutcome } from '@app/knowledge';
import { Injectable } from '@nestjs/common';
import { ChildRunStore } from '../children/child-run.store.js';
import type { ToolAdapter } from './tool-adapter.js';
import { type PreparedCall, refused, type ToolCallResult } from '../calls/tool-call.js';

/**
 * Grants are required for the agent, for the person who started the run, and for the channel through which the run was
 * started. Each call reads the grants, so after a revocation the next call fails.
 */
@Injectable()
export class KnowledgeToolAdapter implements ToolAdapter<KnowledgeTool> {
  constructor(
    private readonly knowledge: KnowledgeSearchService,
    private readonly children: ChildRunStore,
  ) {}

  async call(_tool: KnowledgeTool, call: PreparedCall): Promise<ToolCallResult> {
    const { query, base, top_k } = call.request;
    const wanted = typeof base === 'string' ? base : onlyBase(call);
    if (wanted === undefined || typeof query !== 'string')
      return refused('A retrieval needs a knowledge base and a query.');
    if (!call.mayStart()) return { kind: 'not_started' };
    try {
      const reader = await this.readerOf(call);
      const limit = typeof top_k === 'number' ? { topK: top_k } : {};
      const outcome = await this.knowledge.search(call.workspaceId, { base: wanted, query, reader, ...limit });
      return outcome.status === 'found'
        ? found(query, outcome)
        : forbidden(outcome.status === 'denied' ? outcome.base.name : wanted, query);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'unavailable') throw error;
      const detail = { ...asked(wanted, query), response_summary: error.message };
      return { kind: 'refused', code: 'knowledge_unavailable', message: error.message, detail, unanswered: true };
    }
  }

  private async readerOf({ workspaceId, context, initiator, origin }: PreparedCall): Promise<RunReader> {
    const agent = isJsonObject(context.agent) && typeof context.agent.id === 'string' ? context.agent.id : '';
    const trigger = isJsonObject(context.trigger) ? context.trigger : {};
    const first = trigger.type === 'agent' ? await this.children.firstTriggerOf(workspaceId, origin.runId) : trigger;
    return { agentId: agent, email: initiator, channel: channelOf(first) };
  }
}

type Found = Extract<SearchOutcome, { status: 'found' }>;

function onlyBase({ operation }: PreparedCall): string | undefined {
  const { properties } = operation.request?.schema ?? {};
  const base = isJsonObject(properties) && isJsonObject(properties.base) ? properties.base.default : undefined;
  return typeof base === 'string' ? base : undefined;
}

/** If a mail started the run, the channel is its mailbox, which needs its own grant. */
function channelOf({ type, mailbox }: JsonObject): string | null {
  return type === 'email.received' && typeof mailbox === 'string' ? `email:${mailbox}` : null;
}

function found(query: string, { base: { name }, passages, mode, fallback }: Found): ToolCallResult {
  const shown = passages.map((passage): JsonObject => ({ ...passage, document: { ...passage.document } }));
  const output: JsonValue = { passages: shown };
  const summary = `${passages.length} passages of ${name}${fallback === null ? '' : `, found by keyword search. ${fallback}`}`;
  const detail = { ...asked(name, query), mode, passages: passages.length, documents: documentsOf(passages) };
  return { kind: 'answered', output, response: { body: output }, detail: { ...detail, response_summary: summary } };
}

/** The error is the same in both cases, so that a run cannot find out which knowledge bases exist. */
function forbidden(base: string, query: string): ToolCallResult {
  const message = `This run may not read the knowledge base ${JSON.stringify(base)}, or it does not exist. Grant the base to the agent and to the member who starts the run.`;
  const detail = { ...asked(base, query), response_summary: message };
  return { kind: 'refused', code: 'knowledge_forbidden', message, detail, permanent: true };
}

function asked(base: string, query: string): JsonObject {
  return { knowledge_bases: [base], query, mode: 'keyword', passages: 0, documents: [] };
}

function documentsOf(passages: Found['passages']): JsonObject[] {
  const best = new Map<string, JsonObject>();
  for (const { document, score } of passages) {
    if (!best.has(document.id)) best.set(document.id, { id: document.id, version: document.version, score });
  }
  return [...best.values()];
}
