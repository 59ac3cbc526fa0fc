export interface Instruction {
  name: string;
  text: string;
}

/** One stage of a Dockerfile (`FROM … AS name`) with its instructions. */
export interface Stage {
  name: string;
  base: string;
  instructions: Instruction[];
}

/** Returns the stages of a Dockerfile by name, in order. Removes comments and joins continued lines. */
export function parseDockerfile(text: string): Map<string, Stage> {
  const code = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ');
  const stages = new Map<string, Stage>();
  let current: Stage | undefined;
  for (const line of code.split('\n')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [, base = '', stage = ''] = /^(\S+)\s+AS\s+(\S+)$/.exec(rest) ?? [];
      current = { name: stage, base, instructions: [] };
      stages.set(stage, current);
    } else current?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** Returns the instructions of the base stages of a stage, followed by its own. */
function lineage(stages: ReadonlyMap<string, Stage>, name: string): Instruction[] {
  const stage = stages.get(name);
  return stage ? [...lineage(stages, stage.base), ...stage.instructions] : [];
}

/** Returns the last instruction with this name in a stage and its base stages. Docker applies only the last one. */
export function effective(stages: ReadonlyMap<string, Stage>, stage: string, name: string): string | undefined {
  return lineage(stages, stage).findLast((instruction) => instruction.name === name)?.text;
}
