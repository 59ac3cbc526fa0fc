import { parseMediaType } from './request-body.js';

describe('a Content-Type', () => {
  it.each([
    ['application/json', { essence: 'application/json' }],
    ['Application/JSON; charset=UTF-8', { essence: 'application/json', charset: 'utf-8' }],
    ['application/yaml;charset="utf-8"', { essence: 'application/yaml', charset: 'utf-8' }],
    ['text/yaml ; version=1.2 ; charset=latin1', { essence: 'text/yaml', charset: 'latin1' }],
    ['multipart/form-data; boundary=x', { essence: 'multipart/form-data' }],
    ['', { essence: '' }],
  ])('%s is taken apart', (header, parts) => {
    expect(parseMediaType(header)).toEqual(parts);
  });

  it('may be absent', () => {
    expect(parseMediaType(undefined)).toBeUndefined();
  });
});
