import type { JsonObject, JsonValue } from '@app/kernel';
import type { DefinitionNode } from './definition-node.js';
import type { Path } from './problems.js';
import type { ScopeExtras } from './compile-context.js';
import { ExpressionError, splitTemplate, type Template } from '@app/cel';
import { any, choice, dictionary, list, PATTERNS, whole } from './building-blocks.js';
import { type PathPart, parsePath, trimSlash } from '../model/compiled-tool.js';
import {
  BODY_KINDS,
  type ComputedPart,
  type ComputedUrl,
  type CustomRequest,
  RESPONSE_KINDS,
} from '../model/custom-request.js';
import { noteMember, type ToolCompilation } from './tool-compilation.js';
import { secret } from './tool-descriptor.js';

/** The keys of an operation that define how its request is built and how its response is read. */
export const requestParts: Record<string, JsonObject> = {
  query: dictionary(
    'Query parameters, in place of those from the arguments. A list repeats the parameter; null omits it.',
    '^[^\\x00-\\x1f\\x7f]{1,128}$',
    any('Value of the parameter. May contain `${{ CEL }}`, which can read `request` and `secrets`.'),
  ),
  headers: dictionary(
    'Headers of this operation. They take precedence over those of the tool; null omits a header.',
    PATTERNS.headerName,
    secret('Value of the header.'),
  ),
  body: choice(
    'Encoding of the body. `binary` sends a file: `{base64 | text, filename?, content_type?}`. Default: `json`. Not for GET and HEAD.',
    BODY_KINDS,
  ),
  content: any(
    'Content of the body. May contain `${{ CEL }}`, which can read `request` and `secrets`. Default: the ' +
      'arguments that no other key uses.',
  ),
  response: choice(
    'How the body of the response is read. `json`: the call fails if the body is not JSON. `binary`: the ' +
      'output is `{content_type, bytes, sha256, base64}`. Default: the content type of the response decides.',
    RESPONSE_KINDS,
  ),
  ok_status: list(
    'HTTP statuses that count as success in addition to 2xx. With this list, the output is always `{status, ' +
      'headers, body}`.',
    whole('HTTP status.', 200, 599),
    50,
    { minItems: 1, uniqueItems: true },
  ),
};

const KEYS = Object.keys(requestParts);

export class HttpPartsCompilation {
  /** Properties of the request that the base URL of the tool reads. */
  private readonly namedByTool = new Set<string>();

  constructor(private readonly tool: ToolCompilation) {}

  /** Compiles `base_url`. If it reads data and the tool has no `allowed_hosts`, reports an error. */
  baseUrl(): string | ComputedUrl {
    const { node } = this.tool;
    const text = node.text('base_url');
    if (!text.includes('${{')) return this.hasEmptyPath() ? text : trimSlash(text);
    const path = node.pathOf('base_url');
    const data = new Set<string>();
    const onMention = (name: string, member: string | undefined): void => {
      if (name !== 'secrets') data.add(member === undefined ? name : `${name}.${member}`);
    };
    const parts = this.parts(text, path, this.namedByTool, {}, onMention);
    const [first] = data;
    if (first !== undefined && !node.has('allowed_hosts')) {
      const detail = `\`base_url\` reads \`${first}\`, so data decides where calls and credentials go.`;
      this.tool.context.problems.error(path, detail, 'Add `allowed_hosts` with the hosts that the tool may call.');
    }
    return { parts: parts.map((part) => (typeof part === 'string' ? { text: part } : part)) };
  }

  path(node: DefinitionNode): { path: PathPart[]; named: ReadonlySet<string> } {
    const text = node.text('path');
    const named = new Set<string>();
    if (!text.includes('${{')) return { path: parsePath(text), named };
    const parts = this.parts(text, node.pathOf('path'), named, this.tool.requestOf(node));
    return { path: parts.flatMap((part) => (typeof part === 'string' ? parsePath(part) : [part])), named };
  }

  /** Compiles the parts of the request that the operation computes. Returns undefined if it computes no part. */
  custom(node: DefinitionNode, namedByPath: ReadonlySet<string>): CustomRequest | undefined {
    if (!this.isCustom(node)) return undefined;
    const named = new Set([...namedByPath, ...this.namedByTool, ...this.tool.namedByHeaders]);
    const at = { named, extras: this.tool.requestOf(node) };
    return {
      query: node.has('query') ? this.templates(node, 'query', at) : null,
      headers: this.headers(node, at),
      body: node.choiceOr('body', BODY_KINDS, null),
      content: node.has('content')
        ? this.template(node.raw('content') ?? null, node.pathOf('content'), named, at.extras)
        : null,
      named,
      response: node.choiceOr('response', RESPONSE_KINDS, null),
      okStatus: statusesOf(node),
    };
  }

  /** With `path: ""`, the URL is exactly the base URL, including a slash at its end. */
  private hasEmptyPath(): boolean {
    return this.tool.node.items('operations').some((operation) => operation.text('path') === '');
  }

  private isCustom(node: DefinitionNode): boolean {
    const { node: tool } = this.tool;
    const isComputed = [tool.text('base_url'), node.text('path')].some((text) => text.includes('${{'));
    return isComputed || tool.has('allowed_hosts') || KEYS.some((key) => node.has(key));
  }

  private headers(node: DefinitionNode, at: { named: Set<string>; extras: ScopeExtras }): Record<string, Template> {
    const compiled = Object.entries(this.templates(node, 'headers', at));
    return Object.fromEntries(compiled.map(([name, template]) => [name.toLowerCase(), template]));
  }

  private templates(
    node: DefinitionNode,
    key: string,
    { named, extras }: { named: Set<string>; extras: ScopeExtras },
  ): Record<string, Template> {
    const entries = node.entries(key).map(([name, value, path]) => [name, this.template(value, path, named, extras)]);
    return Object.fromEntries(entries) as Record<string, Template>;
  }

  private template(source: JsonValue, path: Path, named: Set<string>, extras: ScopeExtras): Template {
    const mentions = { ...extras, ...this.tool.recordSecrets(path), onMention: noteMember(named) };
    return this.tool.context.template(source, path, 'toolRequest', mentions);
  }

  private parts(
    text: string,
    path: Path,
    named: Set<string>,
    extras: ScopeExtras,
    onMention: NonNullable<ScopeExtras['onMention']> = () => undefined,
  ): (string | ComputedPart)[] {
    return this.split(text, path).map((part) => {
      if (typeof part === 'string') return part;
      let isSecret = false;
      const note = noteMember(named);
      const mentions: ScopeExtras = {
        ...extras,
        ...this.tool.recordSecrets(path),
        onMention: (name, member) => {
          isSecret ||= name === 'secrets';
          note(name, member);
          onMention(name, member);
        },
      };
      const value = this.tool.context.template(`\${{ ${part.expression} }}`, path, 'toolRequest', mentions);
      return { value, isSecret };
    });
  }

  private split(text: string, path: Path): ReturnType<typeof splitTemplate> {
    try {
      return splitTemplate(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.tool.context.problems.expression(path, error);
      return [];
    }
  }
}

function statusesOf(node: DefinitionNode): number[] | null {
  const statuses = node.raw('ok_status');
  return Array.isArray(statuses) ? statuses.filter((status) => typeof status === 'number') : null;
}
