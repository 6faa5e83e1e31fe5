/** Runs one action after another, in the order in which they come, even if earlier ones fail. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action, action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
