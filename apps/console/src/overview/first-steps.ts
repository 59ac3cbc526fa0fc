import { GUIDES_PATH } from '../data/guides.js';
import type { Agent, CatalogModel } from '../data/api.js';

export interface FirstStep {
  name: string;
  text: string;
  /** Page of the console, or guide, with which the step begins. */
  path: string;
  isDone: boolean;
}

export interface Progress {
  agents: readonly (Pick<Agent, 'name' | 'latest_version'> & { triggers: readonly unknown[] })[];
  models: readonly Pick<CatalogModel, 'used_by'>[];
  /** Undefined if the caller may not invite people. */
  members?: readonly unknown[] | undefined;
}

/** Name of the agent that a new installation creates. An agent with another name is an agent of the workspace. */
const SAMPLE = 'definition-reader';

/** Returns the steps of a new workspace. The agent of the sample counts once it has been changed. */
export function firstSteps({ agents, models, members }: Progress): FirstStep[] {
  return [
    {
      name: 'Create an agent',
      text: 'From an example that you change, tried as a test run before you save it.',
      path: '/agents/new',
      isDone: agents.some(({ name, latest_version: version }) => name !== SAMPLE || version > 1),
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
