/** Queue whose tenants take turns: one with much to do does not keep the others waiting. */
export class FairQueue<T> {
  /** In the order of their turns. */
  readonly #tenants = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(tenantId: string, item: T): void {
    const items = this.#tenants.get(tenantId) ?? [];
    items.push(item);
    this.#tenants.set(tenantId, items);
    this.#size += 1;
  }

  /**
   * Takes the newest item of the tenant that waits with most, to make room for one of another tenant.
   * @returns undefined where that would not be fair: the other one waits with as many
   */
  displace(tenantId: string): T | undefined {
    let longest: T[] = [];
    for (const items of this.#tenants.values()) if (items.length > longest.length) longest = items;
    const own = this.#tenants.get(tenantId)?.length ?? 0;
    if (longest.length <= own + 1) return undefined;
    this.#size -= 1;
    return longest.pop();
  }

  /**
   * Takes the next items, one of each tenant in turn.
   * @param maxOfOne most items of one tenant while others wait
   */
  draw(max: number, maxOfOne: number): T[] {
    const share = this.#tenants.size > 1 ? maxOfOne : max;
    const drawn: T[] = [];
    const counts = new Map<string, number>();
    const paused: [string, T[]][] = [];
    while (drawn.length < max) {
      const [turn] = this.#tenants;
      if (!turn) break;
      const [tenantId, items] = turn;
      this.#tenants.delete(tenantId);
      drawn.push(...items.splice(0, 1));
      const count = (counts.get(tenantId) ?? 0) + 1;
      counts.set(tenantId, count);
      if (items.length === 0) continue;
      if (count < share) this.#tenants.set(tenantId, items);
      else paused.push(turn);
    }
    for (const [tenantId, items] of paused) this.#tenants.set(tenantId, items);
    this.#size -= drawn.length;
    return drawn;
  }
}
