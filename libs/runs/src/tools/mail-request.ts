import { createHash } from 'node:crypto';
import { allowsRecipient, type EmailTool, ExpressionError, isBareAddress, type Scope } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { MailAttachment, OutgoingMail } from '@app/platform/mail';
import { readFileValue, type SentFile, UnusableFile } from './file-value.js';
import { sizeOf } from './multipart-form.js';
import type { SendableFile } from './sent-files.service.js';
import { UnusableRequest } from './unusable-request.js';

export type MailRecipients = Pick<OutgoingMail, 'to' | 'cc'>;

interface MailCall {
  readonly request: JsonObject;
  readonly context: Scope;
}

const CONTROL = /\p{Cc}/u;
const MAX_RECIPIENTS = 100;

/**
 * Checks all recipients first, so that no mail is sent if one of them is not allowed.
 * @param fixed the fixed recipients of the tool; empty if an expression computes the recipients
 * @throws UnusableRequest
 */
export function mailRecipients(
  tool: EmailTool,
  { request, context }: MailCall,
  fixed: readonly string[],
): MailRecipients {
  const to = tool.computedTo
    ? computedRecipients(tool, context)
    : request.to === undefined
      ? fixed
      : addressesIn(request.to);
  const cc = request.cc === undefined ? [] : addressesIn(request.cc);
  for (const address of [...to, ...cc]) requireBare(address, tool);
  const { allowedRecipients } = tool;
  if (!tool.computedTo) requireListed(to, fixed, tool);
  else requireAllowed(to, allowedRecipients ?? [], tool);
  if (allowedRecipients) requireAllowed(cc, allowedRecipients, tool);
  else requireListed(cc, fixed, tool);
  if (to.length === 0) throw new UnusableRequest(`${tool.name} has no recipient: \`to\` is empty.`);
  if (to.length + cc.length > MAX_RECIPIENTS)
    throw new UnusableRequest(`${tool.name} sends one mail to at most ${MAX_RECIPIENTS} recipients.`);
  return { to, cc };
}

/**
 * The admins, to whom `notify` sends, are not read.
 * @param id identifies the call, so that a repeated simulation has the same message id
 * @throws UnusableRequest
 */
export function simulatedMail(tool: EmailTool, call: MailCall, id: string): JsonObject {
  const hasRecipients = tool.to !== null || tool.computedTo !== undefined;
  const { to, cc } = hasRecipients ? mailRecipients(tool, call, tool.to ?? []) : { to: [], cc: [] };
  subjectOf(tool, call.request);
  replyParts(call.request);
  attachmentsOf(call.request.attachments);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 40);
  return { message_id: `<${hash}@simulated.invalid>`, accepted: [...to, ...cc], rejected: [], simulated: true };
}

/** @throws UnusableRequest */
export function subjectOf(tool: EmailTool, { subject }: JsonObject): string {
  const text = textOf(subject);
  if (CONTROL.test(text))
    throw new UnusableRequest(`The subject of a mail of ${tool.name} contains a control character.`);
  return text;
}

/**
 * The last entry of `references` is `in_reply_to`.
 * @throws UnusableRequest
 */
export function replyParts(request: JsonObject): Pick<OutgoingMail, 'replyTo' | 'inReplyTo' | 'references'> {
  const { reply_to: replyTo, in_reply_to: answered = null } = request;
  const inReplyTo = answered === null ? undefined : messageId(textOf(answered));
  const earlier = messageIds(request.references ?? []).filter((id) => id !== inReplyTo);
  const references = [...earlier, ...(inReplyTo === undefined ? [] : [inReplyTo])];
  if (typeof replyTo === 'string' && !isBareAddress(replyTo))
    throw new UnusableRequest('`reply_to` must be one address without a display name.');
  return {
    ...(typeof replyTo === 'string' && { replyTo }),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(references.length > 0 && { references }),
  };
}

/** @throws UnusableRequest */
export function attachmentsOf(value: JsonValue | undefined): SentFile[] {
  return (Array.isArray(value) ? value : []).map((item, index) => attachmentOf(item, index));
}

/** @throws UnusableRequest if they are too large together */
export function mailAttachments(files: readonly SendableFile[], maxBytes: number): MailAttachment[] {
  const bytes = sizeOf(files.map(({ content }) => content));
  if (bytes > maxBytes) {
    const detail = `The attachments have ${bytes} bytes together; at most ${maxBytes} are allowed (SMTP_MAX_MESSAGE_BYTES).`;
    throw new UnusableRequest(detail);
  }
  return files.map(({ filename, contentType, content }, index) => ({
    filename: filename ?? `attachment-${index + 1}`,
    contentType: contentType ?? 'application/octet-stream',
    content,
  }));
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function computedRecipients({ computedTo, name }: EmailTool, context: Scope): string[] {
  try {
    const value = computedTo?.evaluate(context) ?? null;
    return addressesIn(value);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new UnusableRequest(`\`to\` of ${name} cannot be computed: ${error.message}`);
  }
}

/** Null stands for no address. */
function addressesIn(value: JsonValue): string[] {
  if (value === null) return [];
  return Array.isArray(value) ? value.flatMap((item) => addressesIn(item)) : [textOf(value)];
}

function requireBare(address: string, { name }: EmailTool): void {
  if (isBareAddress(address)) return;
  const shown = JSON.stringify(address.slice(0, 80));
  throw new UnusableRequest(`${name} cannot send mail to ${shown}: it is not one address without a display name.`);
}

function requireListed(addresses: readonly string[], fixed: readonly string[], { name }: EmailTool): void {
  const stranger = addresses.find((one) => !fixed.some((listed) => listed.toLowerCase() === one.toLowerCase()));
  if (stranger === undefined) return;
  throw new UnusableRequest(
    `${name} may not send mail to ${stranger}, because the address is not in its list of recipients.`,
  );
}

function requireAllowed(addresses: readonly string[], allowed: readonly string[], { name }: EmailTool): void {
  const stranger = addresses.find((address) => !allowsRecipient(allowed, address));
  if (stranger === undefined) return;
  const message = `${name} may not send mail to ${stranger}, because no entry of its \`allowed_recipients\` allows it.`;
  throw new UnusableRequest(message, 'tool_denied');
}

function messageIds(value: JsonValue): string[] {
  const texts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(' ');
  return texts.filter((text) => text !== '').map(messageId);
}

function messageId(text: string): string {
  const bare = text.replace(/^<|>$/g, '');
  if (bare === '' || /[<>\s]/.test(bare) || CONTROL.test(bare))
    throw new UnusableRequest(`${JSON.stringify(text.slice(0, 80))} is not a message id such as \`<id@example.com>\`.`);
  return `<${bare}>`;
}

function attachmentOf(item: JsonValue, index: number): SentFile {
  try {
    if (!isJsonObject(item)) throw new UnusableFile('is not a file.');
    return readFileValue(item);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw new UnusableRequest(`\`attachments[${index}]\` cannot be sent: it ${error.message}`);
  }
}
