import { type DocumentWording, quote, shorten } from '@app/json-schema';
import { DURATION_PATTERN } from '@app/kernel';
import { PATTERNS } from '../contract/building-blocks.js';

/** For each pattern of the format: the noun in the message "… is not <noun>", and the suggestion. */
const PATTERN_MESSAGES: ReadonlyMap<string, readonly [string, string]> = new Map([
  [DURATION_PATTERN, ['a duration', 'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`, up to `9999d`.']],
  [PATTERNS.memory, ['a size', 'Write a whole number and a unit: `512KiB` or `64MiB`.']],
  [PATTERNS.name, ['a name', 'Use lower-case letters, digits and `-`: `refund-desk`. At most 63 characters.']],
  [PATTERNS.identifier, ['a name', 'Use letters, digits, `_` and `-`, beginning with a letter: `finance-leads`. At most 63 characters.']],
  [PATTERNS.variable, ['a name', 'Use letters, digits and `_`, because expressions contain this name: `check_order`. At most 63 characters.']],
  [PATTERNS.policyName, ['a name', 'Use letters, digits, `_` and `-`: `big-refund`. At most 63 characters.']],
  [PATTERNS.toolName, ['a name', 'Use lower-case letters, digits, `_` and `-`, beginning with a letter: `orders`. At most 63 characters.']],
  [PATTERNS.mcpTool, ['the name of a tool', 'Use lower-case letters, digits and `_`, beginning with a letter: `issue_refund`. At most 63 characters.']],
  [PATTERNS.operationName, ['the name of an operation', 'Use letters, digits, `_`, `.` and `-`, beginning with a letter: `get_order`.']],
  [PATTERNS.operationReference, ['an operation', 'Write `<tool>.<operation>`, such as `orders.get`.']],
  [PATTERNS.money, ['an amount', 'Write a decimal number in quotes, for example `"0.50"`.']], [PATTERNS.currency, ['a currency', 'Write an ISO 4217 code, for example `EUR`.']],
  [PATTERNS.httpUrl, ['an address', 'Write an absolute URL that begins with `https://` or `http://`.']],
  [PATTERNS.path, ['a path', 'Begin the path with `/` and write no `?`. Properties that the path does not use are sent as the query.']],
  [PATTERNS.computedPath, ['a path', 'Begin the path with `/`. A computed value fills one segment of the path.']],
  [PATTERNS.headerName, ['the name of a header', 'Write letters, digits and `-`, such as `Idempotency-Key`.']],
  [PATTERNS.sha256, ['a SHA-256 hash', 'Write 64 hexadecimal digits in lower case, as `sha256sum` prints them.']],
  [PATTERNS.email, ['an e-mail address', 'Write an address such as `ops@example.com`.']],
  [PATTERNS.cron, ['a schedule', 'Write five fields: minute, hour, day of month, month, day of week, such as `0 7 * * 1-5`.']],
  [PATTERNS.secretReference, ['a reference to a secret', 'Store the value with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.']],
  [PATTERNS.model, ['a model', 'Write `provider/name`, such as `anthropic/claude-sonnet-5-5`.']],
]); // prettier-ignore

/** Key names that other products use, with the keys of this format that have the same meaning. */
const SYNONYMS: DocumentWording['synonyms'] = {
  prompt: ['instructions'], system: ['instructions'], system_prompt: ['instructions'], args: ['with'], arguments: ['with'],
  params: ['with'], inputs: ['input', 'with'], condition: ['when', 'if'], expr: ['when'], cases: ['switch'], foreach: ['for_each'],
  loop: ['for_each'], items: ['for_each'], uses: ['tool'], call: ['tool'], url: ['base_url'], schedule: ['cron'], assertions: ['assert'],
  expect: ['assert'], max_turns: ['max_steps'], max_iterations: ['max_steps'], max_time: ['max_duration'], tz: ['timezone'],
  endpoints: ['operations'], actions: ['operations'], workflow: ['steps'], tasks: ['steps'], on_error: ['on_failure'],
}; // prettier-ignore

const PART_OF_EXPRESSION = /[()=<>&|"']/;

/** Messages for the schema of definitions, by keyword. */
const MESSAGES: DocumentWording['messages'] = {
  additionalProperties: (error) => {
    const member = String(error.params.additionalProperty);
    if (!PART_OF_EXPRESSION.test(member)) return undefined;
    return {
      detail: `There is no key \`${shorten(member)}\` here.`,
      suggestion: 'If this key is part of an expression that contains a comma, put the whole expression in quotes.',
    };
  },
  pattern: (error) => {
    const [noun, suggestion] = PATTERN_MESSAGES.get(String(error.params.pattern)) ?? [];
    return noun === undefined ? undefined : { detail: `${quote(error.data)} is not ${noun}.`, suggestion };
  },
  propertyNames: (error) => {
    const pattern = /"pattern":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(error.schema))?.[1];
    const [, suggestion] = (pattern !== undefined && PATTERN_MESSAGES.get(String(JSON.parse(pattern)))) || [];
    const name = shorten(String(error.params.propertyName));
    return suggestion === undefined ? undefined : { detail: `\`${name}\` is not allowed as a name here.`, suggestion };
  },
};

/** The wording of the messages about definitions. */
export const DEFINITION_WORDING: Pick<DocumentWording, 'messages' | 'synonyms'> = {
  messages: MESSAGES,
  synonyms: SYNONYMS,
};
