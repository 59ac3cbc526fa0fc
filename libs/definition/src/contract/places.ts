const RUN = ['input', 'trigger', 'run', 'agent'] as const;
const RUN_AND_STEPS = [...RUN, 'steps'] as const;

/** The names in scope at each place of a definition that contains expressions. */
export const PLACES = {
  step: RUN_AND_STEPS,
  failureStep: [...RUN_AND_STEPS, 'error'],
  instructions: RUN,
  policy: [...RUN_AND_STEPS, 'tool', 'request'],
  approvalShow: [...RUN_AND_STEPS, 'tool', 'request'],
  toolAuth: ['secrets', ...RUN, 'request'],
  toolHeader: ['secrets', ...RUN, 'request'],
  toolRequest: ['secrets', ...RUN, 'request'],
  emailRecipient: ['request', ...RUN],
  reconcileRequest: ['request', 'call'],
  reconcileResponse: ['request', 'call', 'response'],
  simulate: [...RUN, 'request'],
  emailTrigger: ['email', 'trigger'],
  imapPassword: ['secrets'],
  webhookTrigger: ['body', 'trigger'],
  webhookResponse: ['output', 'run', 'body', 'trigger'],
  scheduleTrigger: ['trigger'],
  pollRequest: ['poll', 'trigger'],
  pollItems: ['output'],
  pollKey: ['item'],
  pollTrigger: ['item', 'output', 'trigger'],
  mcpExposure: ['caller'],
  concurrency: ['input', 'trigger', 'agent'],
  assertion: ['output', ...RUN_AND_STEPS],
  assertionCall: ['output', ...RUN_AND_STEPS, 'request'],
} as const satisfies Record<string, readonly string[]>;

export type Place = keyof typeof PLACES;

/** Names that no expression of a step can read, so steps may use them as the name of an item. */
const NAMES_ELSEWHERE: ReadonlySet<string> = new Set(['poll', 'item', 'caller']);

/** Names that the expressions of some steps use. A `for_each` step must not use them as the name of its item. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  Object.values(PLACES)
    .flat()
    .filter((name) => !NAMES_ELSEWHERE.has(name)),
);
