import { isJsonObject, type JsonObject, storableText, suggestName } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { EgressClient, EgressError } from '@app/platform/egress';
import { McpError, McpServers } from '@app/platform/mcp';
import { SandboxUnavailable } from '@app/platform/sandbox';
import { decodeText } from '@app/platform/text';
import { SecretsService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import { CalledAgentsService } from './called-agents.service.js';
import { CompiledVersionsService } from './compiled-versions.service.js';
import { OpenapiReaderService } from './openapi-reader.service.js';
import {
  type CompiledDefinition,
  type CompiledTool,
  type DescribedOperation,
  type DescriptionProblem,
  type IncludedOperation,
  mcpTarget,
  type McpTool,
  OperationSchemas,
  type OpenapiTool,
  type PinnedDocument,
  type ToolDescription,
  UnusableDocument,
} from '@app/definition';

const DOCUMENT_BYTES = 16 * 1024 * 1024;
const FETCHED_AT_ONCE = 4;
const DOCUMENT_MILLIS = 15_000;
const DESCRIBE_MILLIS = 8_000;

export interface Described {
  readonly descriptions: Record<string, ToolDescription>;
  readonly problems: readonly DescriptionProblem[];
  readonly causes: ReadonlyMap<string, string>;
}

interface PlacedDocument extends PinnedDocument {
  readonly place: DescriptionProblem['key'];
}

interface DescribedTool {
  readonly description?: ToolDescription;
  readonly problems: readonly DescriptionProblem[];
  readonly cause?: string;
}

/**
 * A description that does not match the definition is an error. A server that does not respond is no error: the tool is
 * described when a run needs it. Calls of a tool without a description fail.
 */
@Injectable()
export class ToolDescriberService {
  constructor(
    private readonly egress: EgressClient,
    private readonly mcp: McpServers,
    private readonly secrets: SecretsService,
    private readonly agents: CalledAgentsService,
    private readonly versions: AgentVersionRepository,
    private readonly compiledVersions: CompiledVersionsService,
    private readonly reader: OpenapiReaderService,
  ) {}

  /** @param definition the definition from which `compiled` was compiled */
  async describe(workspaceId: string, compiled: CompiledDefinition, definition: JsonObject): Promise<Described> {
    const descriptions: Record<string, ToolDescription> = {};
    const problems: DescriptionProblem[] = [];
    const causes = new Map<string, string>();
    const describing = [...compiled.tools.values()].map(async (tool) => {
      if (tool.kind === 'agent') problems.push(...(await this.agents.problemOf(workspaceId, tool, compiled.name)));
      if ((tool.kind !== 'openapi' && tool.kind !== 'mcp') || tool.isDescribed) return;
      const found =
        tool.kind === 'mcp' ? await this.describeMcp(workspaceId, tool) : await this.describeOpenapi(tool, definition);
      if (found.description) descriptions[tool.name] = found.description;
      problems.push(...found.problems);
      const cause = found.cause ?? found.problems.find(({ severity }) => severity === 'error')?.detail;
      if (cause !== undefined) causes.set(tool.name, cause);
    });
    await Promise.all(describing);
    return { descriptions, problems, causes };
  }

  /**
   * The first description is stored and never changes. Descriptions of agents that are used as tools are not stored.
   * They are read each time this method is called, because the inputs of an agent may change.
   * @throws DomainError `not_found`
   */
  async describeVersion(workspaceId: string, agentId: string, version: number): Promise<CompiledDefinition> {
    return this.agents.shown(workspaceId, await this.storedOrRequested(workspaceId, agentId, version));
  }

  private async storedOrRequested(workspaceId: string, agentId: string, version: number): Promise<CompiledDefinition> {
    const compiled = await this.compiledVersions.get(workspaceId, agentId, version);
    if (![...compiled.tools.values()].some((tool) => 'isDescribed' in tool && !tool.isDescribed)) return compiled;
    const stored = await this.versions.findDefinition(workspaceId, agentId, version);
    if (!stored) return compiled;
    const { descriptions: found, problems, causes } = await this.describe(workspaceId, compiled, stored.definition);
    // Calls of the tool fail until the server has the operation.
    const misfits = problems.filter(({ severity }) => severity === 'error').map(({ tool }) => tool);
    const descriptions = Object.fromEntries(Object.entries(found).filter(([tool]) => !misfits.includes(tool)));
    if (Object.keys(descriptions).length === 0) return withCauses(compiled, causes);
    await this.versions.describe(workspaceId, agentId, version, descriptions);
    this.compiledVersions.invalidateDefinition(workspaceId, agentId, version);
    return withCauses(await this.compiledVersions.get(workspaceId, agentId, version), causes);
  }

  private async describeOpenapi(tool: OpenapiTool, definition: JsonObject): Promise<DescribedTool> {
    const source = {
      tool: tool.name,
      include: includedBy(tool),
      url: tool.spec?.url ?? null,
      hasBaseUrl: tool.baseUrl !== null,
    };
    try {
      const fetched = await this.fetchDocuments(tool);
      if (!Array.isArray(fetched)) return fetched;
      const further = tool.documents.map(({ url }, index) => ({ url, text: fetched[index] ?? '' }));
      const content = fetched.at(tool.documents.length) ?? documentOf(tool, definition);
      return await this.reader.describe({ content, further, source });
    } catch (error) {
      if (error instanceof SandboxUnavailable) return unreachable(tool.name, ['spec'], error.message);
      if (!(error instanceof UnusableDocument)) throw error;
      return failed(tool.name, ['spec'], error.message);
    }
  }

  /** Fetches a few at a time, because each may have the maximum size. */
  private async fetchDocuments({ name, spec, documents }: OpenapiTool): Promise<string[] | DescribedTool> {
    const pinned = documents.map((one, index): PlacedDocument => ({ ...one, place: ['spec', 'documents', index] }));
    if (spec) pinned.push({ ...spec, place: ['spec'] });
    const texts: string[] = [];
    let left = DOCUMENT_BYTES;
    for (let start = 0; start < pinned.length; start += FETCHED_AT_ONCE) {
      const batch = pinned.slice(start, start + FETCHED_AT_ONCE);
      const fetched = await Promise.all(batch.map((one) => this.fetchDocument(name, one, left)));
      const failures = fetched.filter((one) => 'problems' in one);
      if (failures.length > 0) return { problems: failures.flatMap(({ problems }) => problems), ...causeOf(failures) };
      for (const one of fetched) {
        if ('problems' in one) continue;
        texts.push(one.text);
        left -= one.bytes;
      }
      if (left < 0) return tooLarge(name, ['spec']);
    }
    return texts;
  }

  private async fetchDocument(
    tool: string,
    { url, sha256: pinned, place }: PlacedDocument,
    maxResponseBytes: number,
  ): Promise<{ text: string; bytes: number } | DescribedTool> {
    try {
      const answer = await this.egress.request({
        url,
        redirect: 'follow',
        timeoutMs: DOCUMENT_MILLIS,
        maxResponseBytes,
      });
      if (answer.status >= 300)
        return unreachable(tool, [...place, 'url'], `${url} responded with HTTP status ${answer.status}`);
      if (answer.truncated) return tooLarge(tool, [...place, 'url']);
      const actual = sha256(answer.body).toString('hex');
      if (actual !== pinned) {
        const field = `\`${place.join('.')}.sha256\``;
        const detail = `The SHA-256 hash of the OpenAPI document at this URL is not ${field}, so the document has changed.`;
        const suggestion = `Review the changes in the document, then set ${field} to \`${actual}\`.`;
        return failed(tool, [...place, 'sha256'], detail, suggestion);
      }
      return { text: decodeText(answer.body).text, bytes: answer.body.length };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return unreachable(tool, [...place, 'url'], error.message);
    }
  }

  private async describeMcp(workspaceId: string, tool: McpTool): Promise<DescribedTool> {
    const { name, transport } = tool;
    if (transport.kind === 'stdio' && !this.mcp.allows(transport.command)) {
      const detail = 'The operator of this installation does not allow this program.';
      return failed(name, ['command'], detail, 'Ask the operator to add it to MCP_STDIO_COMMANDS.');
    }
    const place = [transport.kind === 'stdio' ? 'command' : 'url'];
    const values = await this.secrets.values(workspaceId, tool.secretNames);
    const missing = tool.secretNames.find((secret) => !values.has(secret));
    if (missing !== undefined) return unreachable(name, place, `the secret ${missing} does not exist yet`);
    const target = mcpTarget(tool, { secrets: Object.fromEntries(values) });
    if (!target) return unreachable(name, place, 'the headers of the tool depend on the input of a run');
    try {
      const exchange = { signal: AbortSignal.timeout(DESCRIBE_MILLIS), timeoutMs: DESCRIBE_MILLIS };
      return mcpDescription(tool, await this.mcp.listTools(target, exchange));
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      // The server may have returned its credentials.
      const secrets = [...values.values(), ...Object.values(target.headers)].filter(({ length }) => length >= 4);
      return unreachable(
        name,
        place,
        secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), error.message),
      );
    }
  }
}

function includedBy(tool: OpenapiTool | McpTool): IncludedOperation[] {
  return tool.include.map((name) => ({ name, id: tool.operations.get(name)?.id ?? name }));
}

function documentOf(tool: OpenapiTool, definition: JsonObject): JsonObject {
  const tools = Array.isArray(definition.tools) ? definition.tools.filter(isJsonObject) : [];
  const spec = tools.find(({ name }) => name === tool.name)?.spec;
  return isJsonObject(spec) && isJsonObject(spec.document) ? spec.document : {};
}

function mcpDescription(tool: McpTool, tools: Awaited<ReturnType<McpServers['listTools']>>): DescribedTool {
  const problems: DescriptionProblem[] = [];
  const operations: Record<string, DescribedOperation> = {};
  const schemas = new OperationSchemas(tool.name);
  for (const [index, { id, name }] of includedBy(tool).entries()) {
    const found = tools.find((one) => one.name === id);
    const key = ['include', index];
    if (!found) {
      const names = tools.map((one) => one.name);
      const suggestion = suggestName(id, names, 'The server offers no tools.');
      problems.push({
        tool: tool.name,
        key,
        severity: 'error',
        detail: `The server has no tool \`${id}\`.`,
        suggestion,
      });
      continue;
    }
    if (found.problem !== null) {
      const detail = `The tool \`${name}\` of the server cannot be called: ${found.problem}.`;
      const suggestion =
        'When the server has been corrected, create a new version. Until then, calls of the tool fail.';
      problems.push({ tool: tool.name, key, severity: 'warning', detail, suggestion });
      continue;
    }
    const { description, inputSchema, readsOnly } = found;
    operations[name] = {
      description: description === null ? null : storableText(description.slice(0, 2_000)),
      request: inputSchema,
      readsOnly,
      http: null,
    };
    problems.push(...schemas.problems(name, index, inputSchema));
    if (!readsOnly || tool.overrides.includes(name)) continue;
    const detail = `\`${name}\` is treated as a read operation, because the server declares it as read-only.`;
    const suggestion = `Write \`overrides: { ${name}: { scope: read } }\` if this is right, or \`scope: write\` if not.`;
    problems.push({ tool: tool.name, key, severity: 'warning', detail, suggestion });
  }
  return { description: { operations }, problems };
}

function failed(tool: string, key: DescriptionProblem['key'], detail: string, suggestion?: string): DescribedTool {
  return { problems: [{ tool, key, severity: 'error', detail, ...(suggestion !== undefined && { suggestion }) }] };
}

function tooLarge(tool: string, key: DescriptionProblem['key']): DescribedTool {
  const detail = `The OpenAPI document has more than ${DOCUMENT_BYTES / 1024 / 1024} MiB, with its further documents.`;
  return failed(tool, key, detail, 'Publish a copy without the operations that the agent does not use.');
}

function causeOf(tools: readonly DescribedTool[]): Pick<DescribedTool, 'cause'> {
  const cause = tools.find((one) => one.cause !== undefined)?.cause;
  return cause === undefined ? {} : { cause };
}

function unreachable(tool: string, key: DescriptionProblem['key'], cause: string): DescribedTool {
  const detail = `The operations of \`${tool}\` are not known yet (${cause}). They are looked up when a run first needs them.`;
  return { problems: [{ tool, key, severity: 'warning', detail }], cause };
}

function withCauses(compiled: CompiledDefinition, causes: ReadonlyMap<string, string>): CompiledDefinition {
  if (causes.size === 0) return compiled;
  const tools = [...compiled.tools].map(([name, tool]): [string, CompiledTool] => {
    const unknownBecause = causes.get(name);
    const isUnknown = 'isDescribed' in tool && !tool.isDescribed && unknownBecause !== undefined;
    return [name, isUnknown ? { ...tool, unknownBecause } : tool];
  });
  return { ...compiled, tools: new Map(tools) };
}
