import type { JsonObject, JsonValue } from '@app/kernel';
import { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import type { Template } from '@app/cel';
import { any, list, object, PATTERNS, text } from '../contract/building-blocks.js';
import type { EmailTool, ToolOperation } from '../model/compiled-tool.js';
import { coversRecipient, isRecipientPattern } from '../model/recipients.js';
import { noteMember, type ToolCompilation } from '../contract/tool-compilation.js';
import { describeTarget, type ToolDescriptor, connection, toolName } from '../contract/tool-descriptor.js';

const OPERATION = 'send';
/**
 * A text that becomes a mail header must not contain control characters, because a line break could start a new header.
 */
const ONE_LINE = '^[^\\x00-\\x1f\\x7f]*$';
const MESSAGE_ID: JsonObject = { type: 'string', maxLength: 998, pattern: '^<?[^<>\\s\\x00-\\x1f\\x7f]+>?$' };
const MAX_ATTACHMENTS = 100;

export const emailTool: ToolDescriptor<'email'> = {
  schema: object(
    'Sends e-mail through the mail relay of the installation. The only operation is `send`.',
    {
      name: toolName,
      type: text('email'),
      description: connection.description,
      to: recipients(),
      allowed_recipients: list(
        'Addresses that a computed `to` and `cc` may contain: `ann@example.com`, `*@example.com` for a domain, ' +
          '`*@*.example.com` for its subdomains, or `*` for every address.',
        text('An address or a pattern.', { maxLength: 260 }),
        200,
        { minItems: 1, uniqueItems: true },
      ),
      simulate: any(
        'Output of `send` in mode test, in which no mail is sent. Default: the output of a mail that all recipients accept.',
      ),
    },
    ['name', 'type', 'to'],
  ),
  compile(base, at) {
    const source = at.node.raw('to') ?? null;
    const named = new Set<string>();
    const computedTo = isComputed(source) ? compileTo(source, named, at) : undefined;
    const to = computedTo || source === null ? null : fixedRecipients(source);
    const allowedRecipients = at.node.has('allowed_recipients') ? at.node.texts('allowed_recipients') : undefined;
    const operation = compileOperation(at, { to, computedTo, allowedRecipients, named });
    return {
      ...base,
      kind: 'email',
      to,
      operations: new Map([[OPERATION, operation]]),
      ...(computedTo && { computedTo }),
      ...(allowedRecipients && { allowedRecipients }),
    };
  },
  check: (node, { problems }) => checkRecipients(node, problems),
  target: ['to'],
  describe: describeTarget,
  compare(before, after) {
    const [was, is] = [before, after].map(({ allowed_recipients: entries }) => textsIn(entries));
    if (!was || !is || JSON.stringify(was) === JSON.stringify(is)) return [];
    const wider = is.filter((entry) => !was.some((one) => coversRecipient(one, entry)));
    const severity = wider.length > 0 ? 'critical' : 'warning';
    const message =
      wider.length > 0
        ? `may send mail to more recipients: ${wider.join(', ')}.`
        : 'may send mail to fewer recipients.';
    return [{ kind: 'tool_target_changed', severity, member: 'allowed_recipients', message }];
  },
};

function recipients(): JsonObject {
  const address = { type: 'string', if: { pattern: '\\$\\{\\{' }, else: { pattern: PATTERNS.email } };
  return {
    description:
      'Addresses that the tool may send to, or `${{ CEL }}` that computes an address or a list of addresses. ' +
      'With a computed value, `allowed_recipients` is required.',
    if: { type: 'string' },
    then: { minLength: 1, ...address },
    else: { type: 'array', minItems: 1, maxItems: 50, uniqueItems: true, items: { ...address } },
  };
}

function isComputed(source: JsonValue): boolean {
  if (typeof source === 'string') return source.includes('${{');
  return Array.isArray(source) && source.some(isComputed);
}

function fixedRecipients(source: JsonValue): string[] {
  return (Array.isArray(source) ? source : [source]).filter((address) => typeof address === 'string');
}

function compileTo(source: JsonValue, named: Set<string>, at: ToolCompilation): Template {
  return at.context.template(source, at.node.pathOf('to'), 'emailRecipient', { onMention: noteMember(named) });
}

type Recipients = Pick<EmailTool, 'to'> & {
  readonly computedTo: Template | undefined;
  readonly allowedRecipients: readonly string[] | undefined;
  /** If `to` is an expression: names of the request properties that it reads. */
  readonly named: ReadonlySet<string>;
};

function compileOperation(at: ToolCompilation, recipients: Recipients): ToolOperation {
  const simulate = at.node.raw('simulate');
  const node = new DefinitionNode(simulate === undefined ? {} : { simulate }, at.node.path);
  const operation = at.operation(node, OPERATION, 'write');
  return {
    ...operation,
    description: at.node.optionalText('description'),
    request: at.context.schema(requestOf(recipients), []),
  };
}

/**
 * Returns the request schema. If the recipients are fixed, `to` selects some of them. A mail without `to` goes to all
 * of them. If the recipients are computed, the request has no `to`, but has the properties that the computation reads.
 */
function requestOf({ to, computedTo, allowedRecipients, named }: Recipients): JsonObject {
  const address: JsonObject = { type: 'string', maxLength: 254 };
  const listed: JsonObject = to ? { enum: [...to] } : address;
  const line: JsonObject = { type: 'string', pattern: ONE_LINE };
  const chosen = {
    description: 'An address or a list of addresses. Left out: all recipients of the tool.',
    ...addresses(listed),
  };
  return {
    type: 'object',
    required: ['subject', 'text'],
    additionalProperties: false,
    properties: {
      ...(computedTo ? Object.fromEntries([...named].map((name) => [name, {}])) : { to: chosen }),
      cc: {
        description: 'An address or a list of addresses that get a copy.',
        ...addresses(allowedRecipients ? address : listed),
      },
      subject: { ...line, minLength: 1, maxLength: 500 },
      text: { type: 'string', maxLength: 100_000 },
      html: { type: 'string', maxLength: 200_000 },
      reply_to: { description: 'Address for replies.', ...line, maxLength: 254 },
      in_reply_to: { description: 'Message id of the mail that this mail answers.', ...MESSAGE_ID },
      references: {
        description: 'Message ids of the conversation. `in_reply_to` is appended.',
        anyOf: [
          { type: 'string', maxLength: 16_000, pattern: ONE_LINE },
          { type: 'array', items: MESSAGE_ID, maxItems: 100 },
        ],
      },
      attachments: {
        description: 'Files: a stored file, or `{base64 | text, filename?, content_type?}`.',
        type: 'array',
        items: { type: 'object' },
        maxItems: MAX_ATTACHMENTS,
      },
    },
  };
}

function addresses(address: JsonObject): JsonObject {
  return { anyOf: [address, { type: 'array', items: address, minItems: 1, maxItems: 50, uniqueItems: true }] };
}

function checkRecipients(node: DefinitionNode, problems: Problems): void {
  const allowed = node.has('allowed_recipients');
  if (isComputed(node.raw('to') ?? null) && !allowed) {
    const remedy = 'Add `allowed_recipients`, for example `["*@example.com"]`.';
    problems.error(node.pathOf('to'), '`to` is computed, but the tool does not say who may get its mail.', remedy);
  }
  for (const [index, entry] of node.texts('allowed_recipients').entries()) {
    const path = [...node.pathOf('allowed_recipients'), index];
    if (!isRecipientPattern(entry)) {
      const remedy = 'Write `ann@example.com`, `*@example.com`, `*@*.example.com` or `*`.';
      problems.error(path, `\`${entry}\` is neither an address nor a pattern of addresses.`, remedy);
    } else if (entry === '*') {
      const remedy = 'List the addresses or domains that may get mail, or add a policy that asks for approval.';
      problems.warning(path, '`*` allows the tool to send mail to every address.', remedy);
    }
  }
}

function textsIn(value: JsonValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
