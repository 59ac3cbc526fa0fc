import { GUIDES_PATH } from '../data/guides.js';
import type { Agent, CatalogModel, Run } from '../data/api.js';

export interface FirstStep {
  name: string;
  text: string;
  /** Page of the console, or guide, with which the step begins. */
  path: string;
  isDone: boolean;
}

export interface Progress {
  agents: readonly (Pick<Agent, 'id' | 'name' | 'latest_version'> & { triggers: readonly unknown[] })[];
  models: readonly Pick<CatalogModel, 'used_by'>[];
  /** The latest runs, in any mode. */
  runs: readonly Pick<Run, 'agent_name'>[];
  decided: readonly unknown[];
  /** Undefined if the caller may not invite people. */
  members?: readonly unknown[] | undefined;
}

/** Name of the agent that a new installation creates. */
const SAMPLE = 'definition-reader';

/** Returns true for an agent of the workspace. The agent of the sample is one once it has been changed. */
export function isOwnAgent({ name, latest_version: version }: Pick<Agent, 'name' | 'latest_version'>): boolean {
  return name !== SAMPLE || version > 1;
}

/** Returns the steps of a new workspace. */
export function firstSteps({ agents, models, runs, decided, members }: Progress): FirstStep[] {
  const own = agents.find(({ name }) => name !== SAMPLE);
  return [
    {
      name: 'Create an agent',
      text: 'From an example that you change, tried as a test run before you save it.',
      path: '/agents/new',
      isDone: agents.some(isOwnAgent),
    },
    {
      name: 'Run it',
      text: 'On its page: a test run simulates write operations, a production run makes them.',
      path: own ? `/agents/${own.id}` : '/agents',
      isDone: runs.some(({ agent_name: name }) => name !== SAMPLE),
    },
    {
      name: 'Decide an approval',
      text: 'A run waits if a policy requires one. You see the request before it is sent.',
      path: '/approvals',
      isDone: decided.length > 0,
    },
    {
      name: 'Use a model',
      text: 'The operator sets the API key of a provider. Agents whose steps are all written down need none.',
      path: `${GUIDES_PATH}models`,
      isDone: models.some(({ used_by: users }) => users > 0),
    },
    {
      name: 'Let it start by itself',
      text: 'By a webhook, an e-mail, a schedule or a poll, in the triggers of the definition.',
      path: `${GUIDES_PATH}triggers`,
      isDone: agents.some(({ triggers }) => triggers.length > 0),
    },
    ...(members
      ? [
          {
            name: 'Invite a colleague',
            text: 'For example the people who decide approvals.',
            path: '/settings/members',
            isDone: members.length > 1,
          },
        ]
      : []),
  ];
}

export type Advice = 'test' | 'production' | 'look' | 'create' | 'wait';

/** Returns what a person can do first. `hasEnded` is true if a production run has ended, for example the sample's. */
export function firstAdvice(
  situation: Record<'hasAgent' | 'hasRun' | 'hasEnded' | 'mayRun' | 'mayCreate', boolean>,
): Advice {
  const { hasAgent, hasRun, hasEnded, mayRun, mayCreate } = situation;
  if (!hasAgent) return mayCreate ? 'create' : 'wait';
  if (hasEnded) return mayCreate ? 'create' : 'look';
  if (!mayRun) return 'look';
  return hasRun ? 'production' : 'test';
}
