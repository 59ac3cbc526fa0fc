import { didYouMean } from '@app/kernel';

/** The steps whose outputs can be read at a place of the plan. Steps are added in order while the plan is compiled. */
export class StepScope {
  private readonly added: Set<string>;
  private current = '';

  /** @param hidden reasons why outputs cannot be read, by step id; shared by all scopes of one definition */
  private constructor(
    private readonly hidden: Map<string, string>,
    visible: Iterable<string>,
    private readonly reason: string,
    private readonly around: StepScope | null = null,
    private readonly isInRound: (id: string) => boolean = () => false,
  ) {
    this.added = new Set(visible);
  }

  /**
   * Creates the outermost scope of a plan. `allIds` are the steps of the plan. `visible` are steps whose outputs can be
   * read from the start.
   */
  static create(allIds: readonly string[], visible: Iterable<string> = []): StepScope {
    return new StepScope(new Map(allIds.map((id) => [id, 'comes later'])), visible, 'comes later');
  }

  enter(id: string): void {
    this.current = id;
  }

  add(id: string): void {
    this.added.add(id);
    this.hidden.set(id, this.reason);
  }

  /**
   * Creates the scope of a block. Steps in the block can also read the steps of this scope. Steps outside the block
   * cannot read the steps inside until `adopt` is called. Until then, error messages state the `reason`.
   */
  branch(reason: string): StepScope {
    return new StepScope(this.hidden, [], reason, this);
  }

  /**
   * Creates the scope of the condition `while`, which is evaluated before each round of a loop. `isInRound` returns
   * whether a step belongs to the rounds.
   */
  beforeRound(isInRound: (id: string) => boolean): StepScope {
    return new StepScope(this.hidden, [], this.reason, this, isInRound);
  }

  adopt(branch: StepScope): void {
    for (const id of branch.added) this.added.add(id);
  }

  /** Returns why `steps.<id>` cannot be read here, or undefined if it can. */
  problem(id: string): { detail: string; suggestion?: string } | undefined {
    if (this.sees(id)) return undefined;
    if (id === this.current) return { detail: `Step \`${id}\` cannot read its own output.` };
    if (this.isInRound(id)) {
      return {
        detail: `\`while\` is evaluated before each round, so it cannot read step \`${id}\` of the round.`,
        suggestion:
          'Use `until`, which is evaluated after each round, or set a value of `carry` in `next` and read that value.',
      };
    }
    const reason = this.hidden.get(id);
    if (reason !== undefined) {
      const detail = `The output of step \`${id}\` cannot be read here, because the step ${reason}.`;
      return {
        detail,
        suggestion:
          reason === 'comes later' ? `Move \`${id}\` up.` : `Read the output of the step that contains \`${id}\`.`,
      };
    }
    const known = this.visible();
    const list =
      known.length > 0
        ? `Steps before this step: ${known.map((name) => `\`${name}\``).join(', ')}.`
        : 'No step comes before this step.';
    return {
      detail: `There is no step \`${id}\`.`,
      suggestion: didYouMean(id, [...known, ...this.hidden.keys()]) ?? list,
    };
  }

  private sees(id: string): boolean {
    return this.added.has(id) || (this.around?.sees(id) ?? false);
  }

  private visible(): string[] {
    return [...(this.around?.visible() ?? []), ...this.added];
  }
}
