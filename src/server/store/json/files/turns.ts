/** Runs one action after another, even if earlier ones fail. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action, action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
