import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const evaluationConfig = defineDerivedConfig(
  {
    title: 'Evaluations',
    readBy: ['worker'],
    settings: {
      judge: setting.matching('JUDGE_MODEL', {
        default: '',
        pattern: /^(?:[a-z0-9][a-z0-9-]*\/.+)?$/,
        allowed: 'a provider and its model such as openai/gpt-6.1-terra',
        defaultNote: 'the model of the definition',
        description:
          'Model that grades the assertions `similar` and `llm_rubric`. If neither this variable nor the definition ' +
          'names a model, such assertions are inconclusive.',
      }),
    },
  },
  ({ judge }) => {
    const [provider, name] = judge.split(/\/(.*)/s);
    return { judgeModel: provider && name ? { provider, name } : null };
  },
);
export type EvaluationConfig = ConfigOf<typeof evaluationConfig>;
