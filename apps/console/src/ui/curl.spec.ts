import { curlCommand } from './curl.js';

describe('a request as a curl command', () => {
  it('has placeholders for secrets', () => {
    const headers = { authorization: '[redacted]', 'content-type': 'application/json' };
    expect(curlCommand({ method: 'POST', url: 'https://x.example/a?key=[redacted]', headers, body: '{}' })).toBe(
      [
        "curl -X 'POST' 'https://x.example/a?key=<SECRET>'",
        "-H 'authorization: <SECRET>'",
        "-H 'content-type: application/json'",
        "--data-raw '{}'",
      ].join(' \\\n  '),
    );
  });

  it('executes nothing that the request contains', () => {
    const body = "it's $(id)";
    expect(curlCommand({ method: 'GET', url: 'https://x.example/', body })).toContain(
      String.raw`--data-raw 'it'\''s $(id)'`,
    );
  });
});
