import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';

export type Turn = Awaited<ReturnType<AgentAutomation['runs']['transcript']>>['turns'][number];

const NAME_CHARACTERS = 9;

/** Returns a turn as lines to read from top to bottom: what was sent, then the answer. */
export function transcriptLines({ n, path, prompt, messages, answer, redacted }: Turn): string[] {
  const calls = answer?.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`) ?? [];
  return [
    `${path} (step ${n})`,
    ...(redacted ? said('', '[redacted]') : []),
    ...said('system', prompt?.system),
    ...said('tools', prompt?.tools.map(({ name }) => name).join(', ')),
    ...(messages ?? []).flatMap(({ role, text, name, result }) =>
      said(role, role === 'tool' ? `${name} ${JSON.stringify(result)}` : text),
    ),
    ...said('reasoning', answer?.reasoning),
    ...said('model', answer?.text),
    ...calls.flatMap((call) => said('call', call)),
  ];
}

function said(by: string, text: string | undefined): string[] {
  if (!text) return [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => `  ${(at === 0 ? by : '').padEnd(NAME_CHARACTERS)}  ${line}`);
}
