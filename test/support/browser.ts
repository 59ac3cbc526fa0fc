export interface BrowserPage {
  url: string;
  status: number;
  text: string;
}

const QUESTION = /<form method="post" action="(\w+)">/;
const FIELD = /<input type="hidden" name="(\w+)" value="([^"]*)">/g;

/** A minimal browser for authorisation flows. It stores cookies and follows redirects. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** `places` maps the origin of a URL to the origin of the test server that replaces it. */
  constructor(private readonly places: () => Readonly<Record<string, string>> = () => ({})) {}

  async open(address: string, stopAt?: RegExp): Promise<BrowserPage> {
    const page = await this.read(address, stopAt);
    return QUESTION.test(page.text) ? this.press(page, 'continue', stopAt) : page;
  }

  /** Opens a URL and follows redirects. Stops at the first page, or before it requests a URL that matches `stopAt`. */
  read(address: string, stopAt?: RegExp): Promise<BrowserPage> {
    return this.request(address, {}, stopAt);
  }

  /** Sends the form of a page, and follows redirects. `headers` replace those of a form on the page itself. */
  press(page: BrowserPage, decision: string, stopAt?: RegExp, headers?: Record<string, string>): Promise<BrowserPage> {
    const action = new URL(QUESTION.exec(page.text)?.[1] ?? '', page.url);
    const fields = [...page.text.matchAll(FIELD)].map(([, name = '', value = '']): [string, string] => [name, value]);
    const body = new URLSearchParams([...fields, ['decision', decision]]);
    const own = { origin: action.origin, 'sec-fetch-site': 'same-origin' };
    return this.request(action.href, { method: 'POST', body, headers: headers ?? own }, stopAt);
  }

  setCookie(origin: string, name: string, value: string): void {
    this.keep(origin, [`${name}=${value}`]);
  }

  private async request(
    address: string,
    first: { method?: string; body?: URLSearchParams; headers?: Record<string, string> },
    stopAt?: RegExp,
  ): Promise<BrowserPage> {
    let [url, sent] = [address, first];
    for (let hops = 0; hops < 20; hops++) {
      if (stopAt?.test(url)) return { url, status: 0, text: '' };
      const { origin, href } = new URL(url);
      const response = await fetch((this.places()[origin] ?? origin) + href.slice(origin.length), {
        ...sent,
        redirect: 'manual',
        headers: { accept: 'text/html,*/*', ...sent.headers, cookie: this.cookiesOf(origin) },
      });
      this.keep(origin, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null)
        return { url, status: response.status, text: await response.text() };
      await response.body?.cancel();
      [url, sent] = [new URL(location, url).href, {}];
    }
    throw new Error(`${address} leads nowhere.`);
  }

  private cookiesOf(origin: string): string {
    return [...(this.cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(origin: string, given: readonly string[]): void {
    const jar = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, jar);
    for (const each of given) {
      const [name = '', value = ''] = (each.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  }
}
