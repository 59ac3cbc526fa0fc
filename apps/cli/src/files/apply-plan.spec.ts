import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type AppliedVersion, planApply, type PlannedAction, type PresentAgent } from './apply-plan.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Version {
  text: string;
  project: string | null;
}

interface StoredAgent {
  id: string;
  project: string | null;
  isArchived: boolean;
  versions: Version[];
}

/**
 * A model of the service and of one folder: the stored versions, and the versions that were applied from the folder.
 */
class Model {
  readonly agents: (StoredAgent & { name: string })[] = [];
  applied: Record<string, AppliedVersion> = {};
  private ids = 0;

  living(name: string): StoredAgent | undefined {
    return this.agents.find((each) => each.name === name && !each.isArchived);
  }

  /** Adds a version that another person or project has created. The folder has no record of this version. */
  edit(name: string, text: string, project: string | null): void {
    const agent = this.living(name);
    if (!agent) this.create(name, text, project);
    else if (agent.versions.at(-1)?.text !== text) this.append(agent, text, project);
  }

  plan(files: Record<string, string>, options: { overwrite?: boolean; prune?: boolean } = {}): PlannedAction[] {
    const { overwrite = false, prune = false } = options;
    const wanted = Object.entries(files).map(([agent, text]) => ({ agent, text }));
    const present = this.agents.map((each) => presentOf(each));
    return planApply({ project: 'mine', wanted, present, applied: this.applied, overwrite, prune }, hashOf);
  }

  /**
   * Executes the first `most` actions of a plan, as if the process were killed after them. If `isRecorded` is false,
   * the folder contains no record of the last of these actions.
   */
  apply(files: Record<string, string>, options = {}, most = Infinity, isRecorded = true): PlannedAction[] {
    const plan = this.plan(files, options);
    if (plan.some(({ action }) => action === 'conflict')) return plan;
    plan.slice(0, most).forEach((each, at, done) => {
      this.perform(each, files[each.agent] ?? '', isRecorded || at < done.length - 1);
    });
    return plan;
  }

  private perform(planned: PlannedAction, text: string, isRecorded: boolean): void {
    const { agent: name, action } = planned;
    if (action === 'archive') {
      for (const each of this.agents) if (each.id === planned.id) each.isArchived = true;
      return;
    }
    const present = this.living(name);
    if (action === 'update' && present) {
      this.applied[name] = { id: present.id, version: present.versions.length, hash: hashOf(text) };
      this.append(present, text, 'mine');
    }
    const agent = present ?? this.create(name, text, 'mine');
    if (isRecorded) this.applied[name] = { id: agent.id, version: agent.versions.length, hash: hashOf(text) };
  }

  private append(agent: StoredAgent, text: string, project: string | null): void {
    agent.versions.push({ text, project });
    agent.project = project ?? agent.project;
  }

  private create(name: string, text: string, project: string | null): StoredAgent {
    this.ids += 1;
    const agent = { id: `agt_${this.ids}`, name, project, isArchived: false, versions: [{ text, project }] };
    this.agents.push(agent);
    return agent;
  }
}

function presentOf({ id, name, project, isArchived, versions }: StoredAgent & { name: string }): PresentAgent {
  const latest = versions.at(-1) ?? { text: '', project: null };
  const common = { agent: name, id, project, isArchived, latestVersion: versions.length };
  return { ...common, latestHash: hashOf(latest.text), latestProject: latest.project };
}

const name = fc.constantFrom('a', 'b', 'c');
const text = fc.constantFrom('one', 'two', 'three');
const files = fc.dictionary(name, text, { minKeys: 1 });
const options = fc.record({ overwrite: fc.boolean(), prune: fc.boolean() });
const edit = fc.record({ name, text, project: fc.constantFrom('mine', 'theirs', null) });
const step = fc.oneof(
  fc.record({ edit }),
  fc.record({ apply: fc.record({ files, options, most: fc.nat(4), isRecorded: fc.boolean() }) }),
  fc.record({ forget: fc.constant(true) }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function worldAfter(steps: readonly Step[]): Model {
  const model = new Model();
  for (const each of steps) {
    if ('edit' in each) model.edit(each.edit.name, each.edit.text, each.edit.project);
    else if ('apply' in each) model.apply(each.apply.files, each.apply.options, each.apply.most, each.apply.isRecorded);
    else model.applied = {};
  }
  return model;
}

const worlds = fc.array(step, { maxLength: 8 }).map(worldAfter);
const stored = ({ agents }: Model): string => JSON.stringify(agents);
const isConflict = ({ action }: PlannedAction): boolean => action === 'conflict';

describe('the plan of apply', () => {
  it('does nothing a second time', () => {
    fc.assert(
      fc.property(worlds, files, options, (model, wanted, chosen) => {
        if (model.apply(wanted, chosen).some(isConflict)) return;
        const after = stored(model);
        expect(model.apply(wanted, chosen).every(({ action }) => action === 'unchanged')).toBe(true);
        expect(stored(model)).toBe(after);
      }),
    );
  });

  it('reaches the same state when it was killed on the way', () => {
    fc.assert(
      fc.property(worlds, files, options, fc.nat(4), (model, wanted, chosen, most) => {
        if (model.apply(wanted, chosen, most, false).some(isConflict)) return;
        expect(model.apply(wanted, chosen).some(isConflict)).toBe(false);
        for (const [agent, wish] of Object.entries(wanted))
          expect(model.living(agent)?.versions.at(-1)?.text).toBe(wish);
      }),
    );
  });

  it('archives no agent of another project, and none without --prune', () => {
    fc.assert(
      fc.property(worlds, files, options, (model, wanted, chosen) => {
        const before = new Map(model.agents.map(({ id, project }) => [id, project]));
        for (const planned of model.plan(wanted, chosen)) {
          if (planned.action !== 'archive') continue;
          expect(chosen.prune).toBe(true);
          expect(before.get(planned.id)).toBe('mine');
          expect(wanted).not.toHaveProperty(planned.agent);
        }
      }),
    );
  });

  it('replaces a version that was not applied from here only with --overwrite', () => {
    const model = new Model();
    model.apply({ a: 'one' });
    model.edit('a', 'two', 'mine');
    expect(model.plan({ a: 'three' })).toMatchObject([{ action: 'conflict' }]);
    expect(model.plan({ a: 'three' }, { overwrite: true })).toMatchObject([{ action: 'update', version: 2 }]);
    model.applied = {};
    expect(model.plan({ a: 'three' })).toMatchObject([{ action: 'update' }]);
    model.edit('a', 'four', 'theirs');
    expect(model.plan({ a: 'three' })).toMatchObject([{ action: 'conflict' }]);
  });

  it('takes bytes that are there already as unchanged, also in a version of another project', () => {
    const model = new Model();
    model.edit('a', 'one', 'theirs');
    expect(model.plan({ a: 'one' })).toMatchObject([{ action: 'unchanged', version: 1 }]);
  });
});
