import { readStartOptions } from './start-options.js';

describe('the arguments of npm start', () => {
  it('load the sample unless --no-sample is given', () => {
    expect(readStartOptions([])).toEqual({ sample: true });
    expect(readStartOptions(['--no-sample'])).toEqual({ sample: false });
  });

  it('are explained on request', () => {
    expect(readStartOptions(['--no-sample', '--help'])).toBe('help');
  });

  it('name the one that is not known', () => {
    expect(readStartOptions(['--no-smaple'])).toEqual({ mistake: expect.stringContaining('--no-smaple') });
  });
});
