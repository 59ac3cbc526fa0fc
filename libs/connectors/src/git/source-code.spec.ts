import { codeType } from './source-code.js';

describe('a file of a repository', () => {
  it.each([
    ['deploy/app.yaml', 'application/yaml'],
    ['.github/workflows/test.yml', 'application/yaml'],
    ['package.json', 'application/json'],
    ['src/main.c', 'text/plain'],
    ['src/App.TSX', 'text/plain'],
    ['build/Dockerfile', 'text/plain'],
    ['LICENSE', 'text/plain'],
    ['.gitignore', 'text/plain'],
  ])('is read as code, data or settings: %s', (path, type) => {
    expect(codeType(path)).toBe(type);
  });

  it.each([['logo.png'], ['a.tar.gz'], ['bin/tool'], ['json'], ['lib.so'], ['x.']])(
    'is not read as code: %s',
    (path) => {
      expect(codeType(path)).toBeUndefined();
    },
  );
});
