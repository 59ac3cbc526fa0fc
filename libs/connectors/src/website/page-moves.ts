export class PageMoves {
  private readonly targets = new Map<string, string>();
  private readonly origins = new Map<string, string[]>();

  add(from: string, to: string): boolean {
    this.targets.set(from, to);
    this.origins.set(to, [...(this.origins.get(to) ?? []), from]);
    return !this.targets.has(this.stepsFrom(from).at(-1) ?? from);
  }

  has(url: string): boolean {
    return this.targets.has(url);
  }

  /** In a loop, each page occurs once. */
  stepsFrom(url: string): string[] {
    const steps = new Set<string>();
    for (let next = this.targets.get(url); next !== undefined && !steps.has(next); next = this.targets.get(next))
      steps.add(next);
    return [...steps];
  }

  leadingTo(url: string): string[] {
    const found = new Set([url]);
    for (const each of found) for (const origin of this.origins.get(each) ?? []) found.add(origin);
    found.delete(url);
    return [...found];
  }
}
