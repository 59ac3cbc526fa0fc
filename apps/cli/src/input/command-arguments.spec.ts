import { assignments, duration, positiveInteger, versionName } from './command-arguments.js';

describe('arguments of commands', () => {
  it('reads a version as agent and number', () => {
    expect(versionName('refund-desk@12')).toEqual({ agent: 'refund-desk', version: 12 });
    expect(versionName('agt_01kahzvk3te9d8q6f0f1v3m2sx@1').version).toBe(1);
  });

  it.each(['refund-desk', '@3', 'refund-desk@', 'refund-desk@0', 'refund-desk@1.5', 'refund-desk@-1'])(
    'refuses %s as a version',
    (text) => {
      expect(() => versionName(text)).toThrow();
    },
  );

  it('reads texts, and other values behind `:=`', () => {
    const texts = ['order=7', 'note=a=b', 'amount:=7.5', 'tags:=["a"]', 'empty='];
    expect(assignments(texts, '--input')).toEqual({ order: '7', note: 'a=b', amount: 7.5, tags: ['a'], empty: '' });
  });

  it.each(['order', '=7', 'amount:=seven'])('refuses the assignment %s', (text) => {
    expect(() => assignments([text], '--input')).toThrow(expect.objectContaining({ exitCode: 2, where: '--input' }));
  });

  it('takes whole numbers with a unit as durations', () => {
    expect(['500ms', '30s', '10m', '2h', '7d'].map(duration)).toEqual(['500ms', '30s', '10m', '2h', '7d']);
    for (const text of ['10', '1.5h', 'm', '-1s', '']) expect(() => duration(text)).toThrow();
  });

  it('takes whole numbers from 1 as limits', () => {
    expect(positiveInteger('50')).toBe(50);
    for (const text of ['0', '-1', '1.5', 'all', '']) expect(() => positiveInteger(text)).toThrow();
  });
});
