/** A minimal browser for authorisation flows. It stores cookies and follows redirects. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** `places` maps the origin of a URL to the origin of the test server that replaces it. */
  constructor(private readonly places: () => Readonly<Record<string, string>>) {}

  /** Opens a URL and follows redirects. Stops at the first page, or before it requests a URL that matches `stopAt`. */
  async open(address: string, stopAt?: RegExp): Promise<{ url: string; status: number; text: string }> {
    let url = address;
    for (let hops = 0; hops < 20; hops++) {
      if (stopAt?.test(url)) return { url, status: 0, text: '' };
      const { origin, href } = new URL(url);
      const response = await fetch((this.places()[origin] ?? origin) + href.slice(origin.length), {
        redirect: 'manual',
        headers: { cookie: this.cookiesOf(origin) },
      });
      this.keep(origin, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null)
        return { url, status: response.status, text: await response.text() };
      await response.body?.cancel();
      url = new URL(location, url).href;
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
