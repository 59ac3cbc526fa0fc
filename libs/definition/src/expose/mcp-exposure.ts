import { withoutFileKeyword } from '@app/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { any, dictionary, duration, list, object, pattern, PATTERNS, text } from '../contract/building-blocks.js';
import { type CheckContext, listOf } from '../contract/check-context.js';
import type { CompileContext } from '../contract/compile-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { McpExposure } from '../model/mcp-exposure.js';

const DEFAULT_WAIT_MILLIS = 20_000;
const MAX_WAIT_MILLIS = 50_000;
const MAX_DESCRIPTION = 1_024;
const MAX_MEMBERS = 200;
/** The tools that the service itself offers beside the agents. */
const RESERVED_TOOLS: ReadonlySet<string> = new Set(['get_run', 'cancel_run']);
/** Members of a schema that may name withheld members of the input. */
const COMBINING = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

export const exposeSchema = object('Who can use the agent beside the API and its triggers.', {
  mcp: object('Makes the agent a tool of the MCP server, for assistants.', {
    tool: pattern(
      'Name of the tool, unique in the workspace. Default: the name of the agent with `_` for `-`.',
      'mcpTool',
    ),
    description: text(
      'What the tool does and when to use it, for the assistant. Default: the description of the agent.',
      {
        maxLength: MAX_DESCRIPTION,
      },
    ),
    input: list(
      'Members of the input that callers may give. Default: all that `fixed` does not name.',
      text('Name of a member of `input.properties`.'),
      MAX_MEMBERS,
      { uniqueItems: true },
    ),
    fixed: dictionary(
      'Members of the input that callers may not give.',
      PATTERNS.inputMember,
      any('Value, or a template that reads `caller.member` and `caller.client`.'),
    ),
    wait: duration('Time for which an answer waits for the end of the run, at most 50s.', { default: '20s' }),
  }),
});

export function compileMcpExposure(root: DefinitionNode, context: CompileContext): McpExposure | null {
  const node = root.optionalChild('expose')?.optionalChild('mcp');
  if (!node) return null;
  const fixed = new Map(
    node.entries('fixed').map(([name, value, path]) => [name, context.template(value, path, 'mcpExposure')]),
  );
  const input = root.raw('input');
  const schema = isJsonObject(input) ? input : null;
  const all = schema && Object.keys(propertiesOf(schema));
  const given = node.has('input') ? node.texts('input') : (all?.filter((name) => !fixed.has(name)) ?? null);
  return {
    tool: toolOf(root, node),
    description: descriptionOf(root, node) ?? '',
    given,
    fixed,
    inputSchema: schema ? publishedSchema(withoutFileKeyword(schema), new Set(given)) : { type: 'object' },
    waitMs: node.durationOr('wait', DEFAULT_WAIT_MILLIS),
  };
}

export function checkMcpExposure({ root, problems }: CheckContext): void {
  const node = root.optionalChild('expose')?.optionalChild('mcp');
  if (!node) return;
  const tool = toolOf(root, node);
  if (RESERVED_TOOLS.has(tool)) {
    problems.error(
      node.has('tool') ? node.pathOf('tool') : node.path,
      `The service has a tool \`${tool}\` itself.`,
      'Choose another name with `tool`.',
    );
  } else if (!node.has('tool') && !new RegExp(PATTERNS.mcpTool).test(tool)) {
    problems.error(
      node.path,
      `The name of the agent gives no name of a tool, because \`${tool}\` begins with a digit.`,
      'Choose a name with `tool`.',
    );
  }
  checkDescription(root, node, problems);
  if (node.durationOr('wait', DEFAULT_WAIT_MILLIS) > MAX_WAIT_MILLIS)
    problems.error(node.pathOf('wait'), '`wait` must be at most 50 seconds.', 'Write `50s` or less.');
  checkMembers(root, node, problems);
}

function checkDescription(root: DefinitionNode, node: DefinitionNode, problems: CheckContext['problems']): void {
  const description = descriptionOf(root, node);
  if (description === null) {
    problems.error(
      node.path,
      'The tool has no description, so assistants cannot know when to use it.',
      'Write a `description` here or for the agent.',
    );
  } else if (description.length > MAX_DESCRIPTION) {
    problems.error(
      node.path,
      `The description of the agent is longer than ${MAX_DESCRIPTION} characters.`,
      'Write a shorter `description` for the tool.',
    );
  }
}

/** Reports unknown members, members that are both given and fixed, and required members that are neither. */
function checkMembers(root: DefinitionNode, node: DefinitionNode, problems: CheckContext['problems']): void {
  const input = root.raw('input');
  const properties = isJsonObject(input) ? propertiesOf(input) : {};
  const names = Object.keys(properties);
  const fixed = new Set(node.entries('fixed').map(([name]) => name));
  for (const [index, name] of node.texts('input').entries()) {
    const path = [...node.pathOf('input'), index];
    if (!names.includes(name)) problems.error(path, `The input has no member \`${name}\`.`, listOf('It has', names));
    else if (fixed.has(name))
      problems.error(path, `\`${name}\` is also in \`fixed\`.`, 'Remove it from one of the two.');
  }
  if (!isJsonObject(input)) return;
  for (const [name, , path] of node.entries('fixed'))
    if (!names.includes(name))
      problems.error(path, `The input has no member \`${name}\`.`, listOf('It has', names), 'key');
  const given = new Set(node.has('input') ? node.texts('input') : names);
  for (const name of requiredOf(input)) {
    if (given.has(name) || fixed.has(name) || hasDefault(properties[name])) continue;
    problems.error(
      node.has('input') ? node.pathOf('input') : node.path,
      `The input requires \`${name}\`, but callers cannot give it.`,
      'Add it to `input` or to `fixed`, or give it a `default`.',
    );
  }
}

function toolOf(root: DefinitionNode, node: DefinitionNode): string {
  return node.optionalText('tool') ?? root.text('name').replaceAll('-', '_');
}

function descriptionOf(root: DefinitionNode, node: DefinitionNode): string | null {
  return node.optionalText('description') ?? (root.optionalText('description') || null);
}

/** Returns the schema with the given members only. Rules that combine members are left out if members are withheld. */
function publishedSchema(schema: JsonObject, given: ReadonlySet<string>): JsonObject {
  const properties = propertiesOf(schema);
  const isWithheld = Object.keys(properties).some((name) => !given.has(name));
  const { patternProperties: _, required: __, ...rest } = schema;
  const kept = Object.entries(rest).filter(([key]) => !isWithheld || !COMBINING.includes(key));
  const required = requiredOf(schema).filter((name) => given.has(name) && !hasDefault(properties[name]));
  return {
    ...Object.fromEntries(kept),
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => given.has(name))),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function hasDefault(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && Object.hasOwn(schema, 'default');
}
